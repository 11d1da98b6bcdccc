import { Title } from "../../ui/parts";
import { SiteForm } from "./SiteForm";

export default function AddSite() {
  return (
    <>
      <Title text="Add a site" />
      <div class="card">
        <SiteForm />
      </div>
    </>
  );
}
