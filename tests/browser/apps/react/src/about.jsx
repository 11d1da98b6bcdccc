import { Link, Route, Routes } from "react-router";
import { Text } from "./shop.jsx";

export default function About() {
  return (
    <Routes>
      <Route
        index
        element={
          <Text title="About" text="A family business since 1921.">
            <Link to="team">The team</Link> <Link to="workshop">The workshop</Link>
          </Text>
        }
      />
      <Route path="team" element={<Text title="Team" text="Six people work here." />} />
      <Route path="workshop" element={<Text title="Workshop" text="The workshop is open on Saturdays." />} />
    </Routes>
  );
}
