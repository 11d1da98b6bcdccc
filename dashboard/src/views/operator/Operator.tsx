import { place } from "../../app/location";
import Controls from "./Controls";
import Tenants from "./Tenants";

/** What the operator of the service manages. A tenant may have any ID, so the tab is no part of the path. */
export default function Operator() {
  return place.value.query.get("show") === "controls" ? <Controls /> : <Tenants />;
}
