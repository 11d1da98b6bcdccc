import { Fragment } from "preact";

/** Names and values; those without a value are left out. */
export function Facts({ facts }: { facts: readonly [string, string | null | undefined][] }) {
  return (
    <dl class="facts">
      {facts.map(
        ([name, value]) =>
          value && (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ),
      )}
    </dl>
  );
}
