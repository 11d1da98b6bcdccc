import { expect, it } from "vitest";
import { GrowingList, type Grown } from "./growingList";

const PARTS: Record<string, { rows: number[]; next: string | null }> = {
  first: { rows: [1, 2], next: "second" },
  second: { rows: [3], next: null },
};

function list() {
  const asked: (string | null)[] = [];
  const seen: Grown<number>[] = [];
  const problems: unknown[] = [];
  const growing = new GrowingList<number>(
    async (cursor) => {
      asked.push(cursor);
      if (problems.length) throw problems.pop();
      return PARTS[cursor ?? "first"] as { rows: number[]; next: string | null };
    },
    (now) => seen.push(now),
  );
  return { asked, seen, problems, growing };
}

it("starts without a cursor and ends without a next part", async () => {
  const { asked, seen, growing } = list();
  await growing.more();
  expect(seen).toEqual([{ rows: [1, 2], more: growing.more }]);
  await growing.more();
  expect(seen[1]).toEqual({ rows: [1, 2, 3] });
  expect(asked).toEqual([null, "second"]);
});

it("never uses the cursor of another list", async () => {
  const first = list();
  await first.growing.more();
  first.growing.stop();
  const other = list();
  await other.growing.more();
  expect(other.asked).toEqual([null]);
  expect(other.seen[0]?.rows).toEqual([1, 2]);
});

it("loads a part once, however often it is asked for", async () => {
  const { asked, growing } = list();
  await Promise.all([growing.more(), growing.more()]);
  expect(asked).toEqual([null]);
});

it("keeps its rows after an error and can be asked again", async () => {
  const { seen, problems, growing } = list();
  await growing.more();
  const problem = new Error("no network");
  problems.push(problem);
  await growing.more();
  expect(seen[1]).toEqual({ rows: [1, 2], more: growing.more, error: problem });
  await growing.more();
  expect(seen[2]).toEqual({ rows: [1, 2, 3] });
});

it("reports nothing after it was stopped", async () => {
  const { seen, growing } = list();
  const loading = growing.more();
  growing.stop();
  await loading;
  expect(seen).toEqual([]);
});
