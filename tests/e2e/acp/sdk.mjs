// The protocol's own client drives an agent through every method. Arguments: the agent's command, the workspace.
import assert from "node:assert";
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { client, methods, ndJsonStream, RequestError } from "@agentclientprotocol/sdk";

const [command, workspace, ...flags] = process.argv.slice(2);
const { session, initialize, authenticate } = methods.agent;
let checks = 0, errors = "", permission = "allow_once";
const asked = [], updates = [];

const check = (right, expected, got) => {
  checks++;
  assert.ok(right, `expected: ${expected}; got: ${JSON.stringify(got)}`);
};
const fails = (code, request) =>
  request.then((result) => check(false, `error ${code}`, result),
               (error) => check(error instanceof RequestError && error.code === code, `error ${code}`, String(error)));
const agent = spawn(command, flags, { cwd: workspace, stdio: ["pipe", "pipe", "pipe"] });
agent.stderr.on("data", (text) => (errors += text));
const ended = new Promise((done) => agent.on("exit", (status) => done(status)));
process.on("uncaughtException", (error) => {
  console.error(`after ${checks} checks: ${String(error.stack).slice(0, 3000)}\n${JSON.stringify(updates.slice(-4))}\n${errors.slice(-1000)}`);
  agent.kill();
  process.exit(1);
});

const app = client({ name: "test" })
  .onRequest(methods.client.session.requestPermission, ({ params }) => {
    asked.push(params);
    if (permission === "never") return new Promise(() => {});
    return { outcome: { outcome: "selected", optionId: params.options.find((option) => option.kind === permission).optionId } };
  })
  .onRequest(methods.client.fs.readTextFile, ({ params }) => ({ content: fs.readFileSync(params.path, "utf8") }))
  .onRequest(methods.client.elicitation.create, () => ({ action: "decline" }))
  .onNotification(methods.client.session.update, ({ params }) => { updates.push(params); });
const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
const text = (value) => [{ type: "text", text: value }];
const has = (kind, words = "") => updates.some((each) => each.update.sessionUpdate === kind && JSON.stringify(each).includes(words));
const until = async (right) => { while (!right()) await new Promise((done) => setTimeout(done, 5)); };

await app.connectWith(stream, async (skein) => {
  const hello = await skein.request(initialize, {
    protocolVersion: 1, clientInfo: { name: "test", version: "1" },
    clientCapabilities: { fs: { readTextFile: true, writeTextFile: false }, elicitation: { form: {} },
                          session: { notices: {}, compaction: {} } },
  });
  check(hello.protocolVersion === 1 && hello.agentInfo.name === "skein" && hello.agentCapabilities.loadSession, "initialize", hello);
  await fails(-32602, skein.request(authenticate, { methodId: "unknown" }));
  const here = { cwd: workspace, mcpServers: [] };

  // The helpers of the SDK.
  const active = await skein.buildSession(workspace).start();
  const whole = active.prompt("hello");
  check(await active.readText() === "one", "the text of a turn", updates);
  check((await whole).stopReason === "end_turn", "its end", null);
  active.dispose();

  const made = await skein.request(session.new, here);
  const { sessionId } = made;
  check(made.modes.currentModeId === "default" && made.configOptions.length >= 3, "session/new", made);
  const prompt = (words) => skein.request(session.prompt, { sessionId, prompt: text(words) });
  check((await prompt("write sdk.txt 1")).stopReason === "end_turn" && asked.length === 1, "a call that is allowed", asked);
  check(fs.readFileSync(path.join(workspace, "sdk.txt"), "utf8") === "1", "the file", null);
  permission = "reject_once";
  await prompt("write sdk.txt 1");
  check(asked.length === 2 && fs.readFileSync(path.join(workspace, "sdk.txt"), "utf8") === "1", "a call that is refused", asked);
  permission = "never";
  const waiting = prompt("write sdk.txt 1");
  await until(() => asked.length === 3);
  await skein.notify(session.cancel, { sessionId });
  check((await waiting).stopReason === "cancelled", "a cancelled turn", null);

  check(JSON.stringify(await skein.request(session.setMode, { sessionId, modeId: "acceptEdits" })) === "{}", "set_mode", null);
  const changed = await skein.request(session.setConfigOption, { sessionId, configId: "mode", value: "default" });
  check(changed.configOptions.find((each) => each.id === "mode").currentValue === "default", "set_config_option", changed);
  const listed = await skein.request(session.list, { cwd: workspace });
  check(listed.sessions.some((each) => each.sessionId === sessionId), "session/list", listed);
  check(JSON.stringify(await skein.request(session.close, { sessionId })) === "{}", "session/close", null);
  updates.length = 0;
  await skein.request(session.resume, { ...here, sessionId });
  check(!has("user_message_chunk"), "session/resume", updates);
  await skein.request(session.close, { sessionId });
  await skein.request(session.load, { ...here, sessionId });
  check(has("user_message_chunk", "write") && has("tool_call", "sdk.txt"), "session/load", updates);
  // A request that its own side cancels.
  const stop = new AbortController();
  const slow = skein.request(session.prompt, { sessionId, prompt: text("slow") }, { cancellationSignal: stop.signal })
    .then((result) => result.stopReason, (error) => error.code);
  await until(() => has("agent_message_chunk", "slow"));
  stop.abort();
  check(["cancelled", -32800].includes(await slow), "a cancelled request", await slow);
  check(JSON.stringify(await skein.request(session.delete, { sessionId })) === "{}", "session/delete", null);
  await fails(-32601, skein.request("session/unknown", {}));
});
agent.stdin.end();
check((await ended) === 0, "the end", await ended);
console.log(`${checks} checks`);
process.exit(0);
