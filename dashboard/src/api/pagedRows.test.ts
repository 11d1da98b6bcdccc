import { describe, expect, it } from "vitest";
import { allParts, PagedRows, type Part } from "./pagedRows";

/** A list of `length` numbers in parts of `size`, which notes the cursors that it is asked for. */
function list(length: number, size: number) {
  const asked: (string | null)[] = [];
  const load = async (cursor: string | null): Promise<Part<number>> => {
    asked.push(cursor);
    const start = cursor === null ? 0 : Number(cursor);
    const rows = Array.from({ length: Math.max(0, Math.min(size, length - start)) }, (_, index) => start + index);
    return { rows, next: start + size < length ? String(start + size) : null, total: length };
  };
  return { load, asked };
}

describe("the rows of a list", () => {
  it("are loaded when they are needed, and once", async () => {
    const { load, asked } = list(100, 10);
    const rows = new PagedRows(load, 10);
    expect(await rows.need(0, 9)).toBe(true);
    expect(await rows.need(3, 7)).toBe(false);
    expect(asked).toEqual([null]);
    expect([rows.row(9), rows.row(10), rows.length]).toEqual([9, undefined, 100]);
  });

  it("far down are reached through the cursors in between", async () => {
    const { load, asked } = list(100, 10);
    const rows = new PagedRows(load, 10);
    await rows.need(35, 36);
    expect(asked).toEqual([null, "10", "20", "30"]);
    expect(rows.row(35)).toBe(35);
  });

  it("on both sides of the end of a part are loaded together", async () => {
    const { load } = list(100, 10);
    const rows = new PagedRows(load, 10);
    await rows.need(18, 23);
    expect([rows.row(18), rows.row(23)]).toEqual([18, 23]);
  });

  it("stay few in memory, and come back by the cursor of their part", async () => {
    const { load, asked } = list(100, 10);
    const rows = new PagedRows(load, 10, 2);
    await rows.need(25, 25);
    expect([rows.row(5), rows.row(15), rows.row(25)]).toEqual([undefined, 15, 25]);
    await rows.need(5, 5);
    expect(asked).toEqual([null, "10", "20", null]);
    expect([rows.row(5), rows.row(15)]).toEqual([5, undefined]);
  });

  it("end where the list ends, also if its total is unknown", async () => {
    const { load } = list(25, 10);
    const rows = new PagedRows(async (cursor) => ({ ...(await load(cursor)), total: null }), 10);
    await rows.need(0, 0);
    expect(rows.length).toBe(10);
    await rows.need(90, 95);
    expect([rows.length, rows.complete, rows.row(24)]).toEqual([25, true, 24]);
    expect(await rows.need(90, 95)).toBe(false);
  });

  it("can be asked for again after an error", async () => {
    const { load } = list(10, 10);
    let fails = true;
    const rows = new PagedRows(async (cursor) => {
      if (fails) throw new Error("offline");
      return load(cursor);
    }, 10);
    await expect(rows.need(0, 0)).rejects.toThrow("offline");
    fails = false;
    expect(await rows.need(0, 0)).toBe(true);
    expect(rows.row(4)).toBe(4);
  });
});

describe("all parts of a list", () => {
  it("follow each other to the end", async () => {
    const found: number[] = [];
    for await (const part of allParts(list(25, 10).load)) found.push(...part.rows);
    expect(found).toEqual(Array.from({ length: 25 }, (_, index) => index));
  });

  it("end for a running crawl, whose list always has a cursor", async () => {
    let parts = 0;
    for await (const _ of allParts(async (cursor) => ({ rows: cursor ? [] : [1], next: "more", total: null }))) parts++;
    expect(parts).toBe(2);
  });
});
