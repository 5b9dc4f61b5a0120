// The Claude Agent SDK drives skein. Every line that skein writes is kept for types.mjs.
import assert from "node:assert";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { createSdkMcpServer, query, tool } from "@anthropic-ai/claude-agent-sdk";
import { z } from "zod";

const dir = process.argv[2];
const workspace = path.join(dir, "ws");
const lines = fs.createWriteStream(path.join(dir, "lines.jsonl"));
let scripts = 0, checks = 0;

const check = (right, what) => {
  checks++;
  assert.ok(right, typeof what === "string" ? what : JSON.stringify(what));
};
const model = (replies) => {
  const file = path.join(dir, `script${++scripts}.json`);
  fs.writeFileSync(file, JSON.stringify(replies));
  return "scripted/" + file;
};
const call = (name, input, id = "c1") => ({ call: { name, id, input } });
const common = {
  cwd: workspace,
  pathToClaudeCodeExecutable: process.env.SKEIN,
  spawnClaudeCodeProcess: ({ command, args, cwd, env, signal }) => {
    const child = spawn(command, args, { cwd, env, signal, stdio: ["pipe", "pipe", "pipe"] });
    child.stderr.on("data", (text) => (errors += text));
    return child;
  },
};
let errors = "";
process.on("uncaughtException", (error) => {
  console.error(`agent_sdk: after ${checks} checks: ${String(error.message).slice(0, 3000)}\n${errors.slice(-1000)}`);
  console.error(String(error.stack).split("\n").filter((line) => line.includes("sdk.mjs") && !line.includes("node_modules")).join("\n"));
  process.exit(1);
});

async function run(prompt, options, each = () => {}) {
  const seen = [];
  const asked = query({ prompt, options: { ...common, ...options } });
  for await (const message of asked) {
    lines.write(JSON.stringify(message) + "\n");
    seen.push(message);
    await each(message, asked);
  }
  return seen;
}
const result = (seen) => seen.find((message) => message.type === "result");
const write = (content = "1") => [[call("write", { path: "s.txt", content })], "done"];
const file = path.join(workspace, "s.txt");

// A prompt as a string.
let seen = await run("hello", { model: model(["one"]) });
check(seen[0].type === "system" && seen[0].subtype === "init" && seen[0].cwd === workspace, seen[0]);
check(result(seen).result === "one", seen);
const session = result(seen).session_id;

// Permissions.
const asks = (answer, replies = write()) =>
  run("write", { model: model(replies), canUseTool: answer });
let asked = [];
seen = await asks(async (name, input, more) => {
  asked.push([name, input, more.toolUseID, more.suggestions.length]);
  return { behavior: "allow", updatedInput: input };
});
check(asked.length === 1 && asked[0][0] === "Write" && asked[0][1].file_path === file && asked[0][3] > 0, asked);
check(fs.readFileSync(file, "utf8") === "1", "allowed");
seen = await asks(async (_, input) => ({ behavior: "allow", updatedInput: { ...input, content: "2" } }));
check(fs.readFileSync(file, "utf8") === "2", "the changed input");
seen = await asks(async () => ({ behavior: "deny", message: "not now" }), write("3"));
check(fs.readFileSync(file, "utf8") === "2" && result(seen).permission_denials.length === 1, result(seen));
seen = await asks(async () => ({ behavior: "deny", message: "stop", interrupt: true }), write("3")).catch((error) => error);
check(fs.readFileSync(file, "utf8") === "2", "denied and interrupted");

// Hooks.
const events = [];
seen = await run("write", {
  model: model([...write("4"), "after"]),
  permissionMode: "acceptEdits",
  hooks: {
    PreToolUse: [{ matcher: "Write", hooks: [async (input) => {
      events.push(input.hook_event_name);
      return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "no" } };
    }] }],
    Stop: [{ hooks: [async (input) => (events.push(input.hook_event_name), {})] }],
  },
});
check(fs.readFileSync(file, "utf8") === "2" && events.join() === "PreToolUse,Stop", events);
seen = await run("read", {
  model: model([[call("read", { path: "s.txt" })], "done"]),
  hooks: { PostToolUse: [{ hooks: [async () => ({ hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "CONTEXT" } })] }] },
});
check(result(seen).subtype === "success", seen);

// A server in this process.
const server = createSdkMcpServer({ name: "calc", tools: [
  tool("add", "adds", { a: z.number(), b: z.number() }, async ({ a, b }) => ({ content: [{ type: "text", text: `sum ${a + b}` }] })),
] });
seen = await run("add", {
  model: model([[call("mcp__calc__add", { a: 2, b: 3 })], "done"]),
  mcpServers: { calc: server },
  allowedTools: ["mcp__calc__add"],
});
check(JSON.stringify(seen).includes("sum 5"), seen);

// Sessions.
seen = await run("again", { model: model(["a", "two"]), resume: session });
check(result(seen).session_id === session && result(seen).result === "two", result(seen));
seen = await run("fork", { model: model(["a", "b", "c"]), resume: session, forkSession: true });
check(result(seen).session_id !== session, "a fork");
const named = "99999999-9999-4999-8999-999999999999";
seen = await run("named", { model: model(["a"]), sessionId: named });
check(result(seen).session_id === named, result(seen));
seen = await run("continued", { model: model(["a", "b"]), continue: true });
check(result(seen).session_id === named, "continue");
await run("x", { resume: "12345678-1234-4234-8234-123456789012" }).then(
  (all) => check(result(all).is_error, all), (error) => check(/No conversation found/.test(error.message + errors), error.message));

// A stream of prompts, and requests between them.
let next;
async function* prompts() {
  const turn = (text, uuid) => ({ type: "user", message: { role: "user", content: text }, parent_tool_use_id: null, uuid });
  yield turn("first", "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa");
  await new Promise((done) => (next = done));
  yield turn("second", "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb");
  await new Promise((done) => (next = done));
}
let turns = 0;
fs.writeFileSync(file, "before");
seen = await run(prompts(), { model: model([[call("write", { path: "s.txt", content: "rewound" })], "done", [{ say: "slow" }, { wait: 60000 }]]),
  permissionMode: "acceptEdits", includePartialMessages: true, enableFileCheckpointing: true },
  async (message, running) => {
    if (message.type === "result" && ++turns === 1) {
      const dry = await running.rewindFiles("aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa", { dryRun: true });
      check(dry.canRewind && dry.filesChanged.length === 1, dry);
      const real = await running.rewindFiles("aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa");
      check(real.canRewind && fs.readFileSync(file, "utf8") === "before", real);
      check((await running.supportedModels()).length > 0, "models");
      check(Array.isArray(await running.supportedCommands()), "commands");
      check(Array.isArray(await running.mcpServerStatus()), "servers");
      check((await running.getContextUsage()).totalTokens > 0, "context");
      await running.setPermissionMode("plan");
      await running.setModel(undefined).catch(() => {});
      next();
    } else if (message.type === "result") {
      check(message.is_error && message.terminal_reason === "aborted_streaming", message);
      next();
    } else if (message.type === "stream_event" && turns === 1 && message.event.type === "content_block_delta") {
      await running.interrupt();
    }
  }).catch((error) => (check(turns === 2, error.message), []));
check(turns === 2, "two turns");

// Answers by a schema, limits, abort.
seen = await run("count", { model: model([[call("structured_output", { n: 3 })]]),
  outputFormat: { type: "json_schema", schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } } });
check(result(seen).structured_output.n === 3, result(seen));
seen = await run("loop", { model: model([1, 2, 3].map((n) => [call("list", { path: "." }, "c" + n)])), maxTurns: 2 }).catch((error) => error);
check(Array.isArray(seen) ? result(seen).subtype === "error_max_turns" : /turn/i.test(seen.message), String(seen));
const priced = model([[{ say: "fine" }, { usage: { input: 1000000, output: 0 } }], "never"]);
fs.mkdirSync(path.join(dir, "config/skein"), { recursive: true });
fs.writeFileSync(path.join(dir, "config/skein/config.toml"), `[models."${priced}"]\ninput = 2\noutput = 4\n`);
seen = await run("cheap", { model: priced, maxBudgetUsd: 5 });
check(result(seen).result === "fine" && result(seen).total_cost_usd === 2, result(seen));
const costly = model([[call("list", { path: "." }), { usage: { input: 1000000, output: 0 } }], "never"]);
fs.writeFileSync(path.join(dir, "config/skein/config.toml"), `[models."${costly}"]\ninput = 2\noutput = 4\n`);
let over = "";
seen = await run("costly", { model: costly, maxBudgetUsd: 1 }, (message) => message.type === "result" && (over = message.subtype)).catch(() => []);
check(over === "error_max_budget_usd", over);
const aborted = "cccccccc-cccc-4ccc-8ccc-cccccccccccc";
const controller = new AbortController();
await run("slow", { model: model([[{ say: "slow" }, { wait: 60000 }], "after"]), sessionId: aborted, abortController: controller, includePartialMessages: true },
  (message) => message.type === "stream_event" && controller.abort()).catch(() => {});
seen = await run("again", { model: model(["a", "b", "c"]), resume: aborted });
check(result(seen).subtype === "success", "an aborted session resumes");
lines.end(() => console.log(`agent_sdk: ${checks} checks with the SDK`));
