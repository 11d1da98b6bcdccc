import { Empty, Title } from "../ui/parts";

export function NotFound() {
  return (
    <>
      <Title text="Not found" />
      <Empty title="There is nothing at this address">
        <a href="#/" class="button">
          Show all sites
        </a>
      </Empty>
    </>
  );
}
