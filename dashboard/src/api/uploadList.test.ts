import { afterEach, expect, it, vi } from "vitest";
import { OfflineError } from "./errors";
import { nameOf, type Step, uploadList } from "./uploadList";

const FILE = new File(["https://example.com/a\n"], "urls.txt", { type: "text/plain" });
const signal = new AbortController().signal;

interface Sent {
  method: string;
  path: string;
  body: unknown;
}

/** The API: creates a list, and answers its check. Return the requests that it received. */
function service(check: Response): Sent[] {
  const sent: Sent[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname: path } = new URL(request.url);
    const text = await request.text();
    sent.push({ method: request.method, path, body: text ? JSON.parse(text) : undefined });
    if (request.method === "DELETE") return new Response(null, { status: 204 });
    if (path.endsWith("/check")) return check;
    const upload = { method: "PUT", url: "https://bucket.example/file?signature=x" };
    return Response.json({ list: "list-1", state: "waiting", upload }, { status: 201 });
  });
  return sent;
}

function problem(detail: string, status = 400): Response {
  return Response.json({ title: "Bad Request", status, detail }, { status });
}

afterEach(() => vi.unstubAllGlobals());

it("creates a list with the size and the name of the file, sends the file, and has it checked", async () => {
  const sent = service(Response.json({ list: "list-1", state: "ready", urls: 1 }));
  const steps: Step[] = [];
  const put = vi.fn(async (_url: string, _file: File, onSent: (share: number) => void) => onSent(0.5));
  const list = await uploadList(FILE, { onStep: (step) => steps.push(step), signal, put });
  expect(list).toMatchObject({ list: "list-1", urls: 1 });
  expect(put).toHaveBeenCalledWith("https://bucket.example/file?signature=x", FILE, expect.any(Function), signal);
  expect(sent).toEqual([
    { method: "POST", path: "/v1/lists", body: { name: "urls.txt", bytes: 22 } },
    { method: "POST", path: "/v1/lists/list-1/check", body: undefined },
  ]);
  expect(steps).toEqual([{ doing: "uploading", sent: 0 }, { doing: "uploading", sent: 0.5 }, { doing: "checking" }]);
});

it("names the bad line, without the ID of the list, and deletes the list", async () => {
  const sent = service(problem("list list-1: line 17: not a URL: 'x'. Correct the file, and upload it as a new list"));
  const upload = uploadList(FILE, { onStep: () => undefined, signal, put: async () => undefined });
  await expect(upload).rejects.toThrow(/^Line 17: not a URL: 'x'\. Correct the file, and upload it as a new list$/);
  expect(sent.at(-1)).toMatchObject({ method: "DELETE", path: "/v1/lists/list-1" });
});

it("says that the plan allows fewer URLs", async () => {
  service(problem("the list has more than 1,000 URLs, and plan free allows 1,000 per list; upgrade", 402));
  const upload = uploadList(FILE, { onStep: () => undefined, signal, put: async () => undefined });
  await expect(upload).rejects.toThrow("The list has more than 1,000 URLs, and plan free allows 1,000 per list");
});

it("deletes a list whose file could not be sent, and does not check it", async () => {
  const sent = service(problem("unexpected"));
  const put = () => Promise.reject(new OfflineError());
  await expect(uploadList(FILE, { onStep: () => undefined, signal, put })).rejects.toBeInstanceOf(OfflineError);
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(["POST /v1/lists", "DELETE /v1/lists/list-1"]);
});

it("sends nothing for an empty file", async () => {
  const sent = service(problem("unexpected"));
  const upload = uploadList(new File([], "empty.txt"), { onStep: () => undefined, signal });
  await expect(upload).rejects.toThrow("The file is empty. It must contain one URL per line.");
  expect(sent).toEqual([]);
});

it("makes a name that the API accepts of any file name", () => {
  expect(nameOf("a\u202egpj.\u0000txt\u00a0\n")).toBe("a gpj. txt");
  expect([...nameOf("😀".repeat(201))]).toHaveLength(200);
});
