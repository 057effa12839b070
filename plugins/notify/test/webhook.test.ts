import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until as untilSo } from '@tagway/testkit';
import { expect } from 'chai';
import plugin from '../src/index.ts';
import { paramsOf, stand, transition } from './node.ts';

interface Post {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server of a chat on 127.0.0.1. */
async function chat(): Promise<{ posts: Post[]; status: number; url: string } & AsyncDisposable> {
  const posts: Post[] = [];
  const state = { posts, status: 204, url: '' };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      posts.push({
        method: request.method ?? '',
        headers: request.headers,
        body: String(Buffer.concat(parts)),
      });
      response.writeHead(state.status).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/secret`;
  return Object.assign(state, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

const until = (condition: () => boolean): Promise<void> => untilSo(String(condition), condition);
const raised = (more = {}): ReturnType<typeof transition> => transition('normal', 'unacknowledged', more);

describe('messages of a webhook', function () {
  this.timeout(30_000);

  const hook = (url: string, params: object = {}): Parameters<typeof stand>[0] =>
    paramsOf(25, { rules: 'chat = webhook', webhook: url, webhook_token: 'token', ...params });

  it('are JSON with all members, with a key of their own', async () => {
    await using server = await chat();
    const run = await stand(hook(server.url));
    run.happen(raised());
    await until(() => server.posts.length === 1);
    const { headers, body } = server.posts[0]!;
    const { id, alarms, ...rest } = JSON.parse(body) as Record<string, unknown> & { alarms: object[] };
    expect(headers['idempotency-key']).to.equal(id);
    expect(headers.authorization).to.equal('Bearer token');
    expect(rest).to.include({ app: 'notify', rule: 'chat', kind: 'alarms', further: 0 });
    expect(alarms[0]).to.include({
      event: 'raised',
      node: 'alarms',
      tag: 'high',
      value: '95',
      priority: 'high',
    });
    await run.node[Symbol.asyncDispose]();
  });

  it('are texts for chats', async () => {
    await using server = await chat();
    const run = await stand(hook(server.url, { webhook_format: 1, language: 1 }));
    run.happen(raised({ text: 'a "quoted"\ntext' }));
    await until(() => server.posts.length === 1);
    const { text } = JSON.parse(server.posts[0]!.body) as { text: string };
    expect(text).to.include('高 报警: alarms/group/high a "quoted" text 95');
    await run.node[Symbol.asyncDispose]();
  });

  it('come again with the same key while the server is not ready, and are given up when it never takes them', async () => {
    await using server = await chat();
    server.status = 503;
    const run = await stand(hook(server.url));
    run.happen(raised());
    await until(() => server.posts.length === 2);
    server.status = 204;
    await until(() => server.posts.length === 3 && run.node.count('send_msgs_total') === 1);
    expect(
      new Set(server.posts.map(({ headers, body }) => JSON.stringify([headers['idempotency-key'], body])))
        .size,
    ).to.equal(1);
    expect(JSON.stringify(run.node.reports)).to.include('answers 503').and.not.include('secret');
    server.status = 400;
    run.happen(raised({ tag: 'low' }));
    await until(() => run.node.count('refused_receivers_total') === 1);
    expect(run.node.lines.join()).to.include('is given up because').and.not.include('secret');
    await run.node[Symbol.asyncDispose]();
  });

  it('a test of the connection posts nothing', async () => {
    await using server = await chat();
    const steps: string[] = [];
    const test = (url: string): Promise<void> =>
      plugin.tryConnection!({
        node: 'x',
        settings: hook(url, { smtp_host: '' }) as never,
        signal: AbortSignal.timeout(5000),
        step: (name) => void steps.push(name),
      });
    await test(server.url);
    expect(steps).to.deep.equal(['connect', 'login', 'rights']);
    expect(server.posts.map(({ method }) => method)).to.deep.equal(['OPTIONS']);
    server.status = 401;
    expect(await test(server.url).catch(String)).to.include('Check "webhook_token".');
  });
});
