import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { key, notice, reachable } from "../app/session";
import { send } from "./client";
import { ApiError, OfflineError } from "./errors";

const answers: (Response | Error)[] = [];
const sent: Request[] = [];

beforeEach(() => {
  answers.length = sent.length = 0;
  key.value = "wck_test";
  reachable.value = true;
  vi.stubGlobal("sessionStorage", { removeItem: () => undefined });
  vi.stubGlobal("fetch", async (request: Request) => {
    sent.push(request);
    const answer = answers.shift();
    if (!answer || answer instanceof Error) throw answer ?? new Error("no answer is left");
    return answer;
  });
});
afterEach(() => vi.unstubAllGlobals());

const get = () => new Request("http://localhost/v1/sites");
const problem = (status: number, body: object, headers = {}) => new Response(JSON.stringify(body), { status, headers });

it("sends the key, and returns what was found", async () => {
  answers.push(new Response("{}"));
  expect((await send(get())).status).toBe(200);
  expect(sent[0]?.headers.get("authorization")).toBe("Bearer wck_test");
});

it("raises the problem of a response", async () => {
  answers.push(problem(409, { title: "Conflict", detail: "site a exists", crawl: "c1" }));
  const error = await send(get()).catch((raised: unknown) => raised);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 409, message: "site a exists", problem: { crawl: "c1" } });
});

it("raises an error with the status if the response is no problem document", async () => {
  answers.push(new Response("<html>", { status: 502 }));
  await expect(send(get())).rejects.toThrow("The service returned status 502.");
});

it("signs out if the key is not valid any more", async () => {
  answers.push(problem(401, { detail: "an API key is required" }));
  await expect(send(get())).rejects.toBeInstanceOf(ApiError);
  expect(key.value).toBe("");
  expect(notice.value).toContain("Sign in again");
});

it("says that the service does not respond, until it does", async () => {
  answers.push(new TypeError("Failed to fetch"), new Response("{}"));
  await expect(send(get())).rejects.toBeInstanceOf(OfflineError);
  expect(reachable.value).toBe(false);
  await send(get());
  expect(reachable.value).toBe(true);
});

it("waits and repeats a read if it is told to, but not a write", async () => {
  vi.useFakeTimers();
  answers.push(problem(429, {}, { "retry-after": "3" }), new Response("{}"));
  const response = send(get());
  await vi.advanceTimersByTimeAsync(2_900);
  expect(sent).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(200);
  expect((await response).status).toBe(200);
  vi.useRealTimers();
  answers.push(problem(429, { detail: "wait" }, { "retry-after": "3" }));
  await expect(send(new Request("http://localhost/v1/sites", { method: "POST" }))).rejects.toThrow("wait");
  expect(sent).toHaveLength(3);
});
