import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from "@tanstack/virtual-core";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "./icons";
import { useKeptScroll } from "./useKeptScroll";
import "./virtual-table.css";

const ROW = 40; // pixels, as in the style sheet

export interface HeadCell {
  name: string;
  label: string;
  width: string;
  right?: boolean;
  sort?: "none" | "ascending" | "descending"; // undefined: cannot be sorted by
}

interface Props {
  label: string;
  head: readonly HeadCell[];
  length: number;
  onSort: (name: string) => void;
  onShown: (first: number, last: number) => void;
  cell: (row: number, column: number) => ComponentChildren; // undefined: the row is being loaded
}

/** A table of any length. Only the rows in view are in the document. */
export function VirtualTable({ label, head, length, onSort, onShown, cell }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [, setTurn] = useState(0);
  const [rows] = useState(
    () =>
      new Virtualizer<HTMLDivElement, HTMLDivElement>({
        count: length,
        getScrollElement: () => box.current,
        estimateSize: () => ROW,
        overscan: 12,
        scrollToFn: elementScroll,
        observeElementRect,
        observeElementOffset,
        onChange: () => setTurn((old) => old + 1),
      }),
  );
  rows.setOptions({ ...rows.options, count: length });
  useLayoutEffect(() => rows._didMount(), [rows]);
  useLayoutEffect(() => rows._willUpdate());
  const keepScroll = useKeptScroll(box, `scroll of ${label}`, length * ROW);
  const shown = rows.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => onShown(first, last), [onShown, first, last]);
  const columns = { gridTemplateColumns: head.map(({ width }) => width).join(" ") };
  return (
    <div ref={box} class="grid-box" tabIndex={0} role="region" aria-label={label} onClickCapture={keepScroll}>
      <div class="grid" role="table" aria-label={label} aria-rowcount={length + 1}>
        <div class="grid-head grid-row" role="row" aria-rowindex={1} style={columns}>
          {head.map((one) => (
            <Head key={one.name} head={one} onSort={onSort} />
          ))}
        </div>
        <div class="grid-body" role="rowgroup" style={{ height: `${rows.getTotalSize()}px` }}>
          {shown.map(({ index, start }) => (
            <div
              key={index}
              class="grid-row"
              role="row"
              aria-rowindex={index + 2}
              style={{ ...columns, transform: `translateY(${start}px)` }}
            >
              {head.map(({ name, right }, column) => (
                <div key={name} role="cell" class={right ? "grid-cell number grid-right" : "grid-cell"}>
                  {cell(index, column) ?? <div class="skeleton grid-waiting" />}
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function Head({ head, onSort }: { head: HeadCell; onSort: (name: string) => void }) {
  const { name, label, right, sort } = head;
  return (
    <div
      role="columnheader"
      class={right ? "grid-cell grid-right" : "grid-cell"}
      {...(sort ? { "aria-sort": sort } : {})}
    >
      {sort ? (
        <button type="button" class="grid-sort" onClick={() => onSort(name)}>
          {label}
          {sort !== "none" && <Icon name={sort === "ascending" ? "up" : "down"} />}
        </button>
      ) : (
        label
      )}
    </div>
  );
}
