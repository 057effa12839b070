import { Attribute, DataType, ErrorCode, type NodeStateRecord } from '@tagway/schemas';
import { expect } from 'chai';
import { startApi, type Fixture } from './fixture.ts';

interface Event {
  readonly event: string;
  readonly data: Record<string, unknown>;
}

/** An open stream, read event by event. */
class Stream implements AsyncDisposable {
  readonly #abort = new AbortController();
  readonly #reader: ReadableStreamDefaultReader<string>;
  readonly #events: Event[] = [];
  #text = '';

  private constructor(response: Response) {
    if (response.body === null) throw new Error('The stream has no body.');
    this.#reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  }

  static async open(api: Fixture, body: object, token = api.token): Promise<Stream> {
    const response = await fetch(`http://127.0.0.1:${api.port}/live/events`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    expect(response.status, response.statusText).to.equal(200);
    expect(response.headers.get('content-type')).to.equal('text/event-stream');
    expect(response.headers.get('cache-control')).to.equal('no-store');
    expect(response.headers.get('x-accel-buffering')).to.equal('no');
    return new Stream(response);
  }

  /** The next event of this kind; others that come before it are passed over. Undefined when the stream ends. */
  async next(kind: string): Promise<Event['data'] | undefined> {
    for (;;) {
      const found = this.#events.findIndex(({ event }) => event === kind);
      if (found >= 0) return this.#events.splice(0, found + 1).at(-1)?.data;
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      const blocks = (this.#text + value).split('\n\n');
      this.#text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
        this.#events.push({ event, data: JSON.parse(data) as Event['data'] });
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#reader.cancel();
  }
}

describe('the stream of states and values', () => {
  let api: Fixture;
  before(async () => {
    api = await startApi();
    await api.call('POST /api/v2/node', { name: 'd', plugin: 'Test Driver', params: { port: 1 } });
    await api.call('POST /api/v2/group', { node: 'd', name: 'g', interval: 100 });
    const attribute = Attribute.STATIC | Attribute.READ | Attribute.WRITE;
    const tags = ['a', 'b', 'c'].map((name) => ({
      name,
      address: '',
      attribute,
      type: DataType.INT16,
      value: 1,
    }));
    expect((await api.call('POST /api/v2/tags', { node: 'd', group: 'g', tags })).body).to.deep.include({
      error: 0,
    });
  });
  after(() => api.close());

  const write = (tag: string, value: number) =>
    api.call('POST /api/v2/write', { node: 'd', group: 'g', tag, value });

  it('tells all states first and then those that change, and which nodes are gone', async () => {
    await using stream = await Stream.open(api, { states: true });
    expect(await stream.next('hello')).to.have.keys('stream', 'beat', 'time');
    const all = await stream.next('states');
    const listed = (await api.call('GET /api/v2/node/state')).body as { states: NodeStateRecord[] };
    expect(all?.['full']).to.equal(true);
    expect((all?.['states'] as NodeStateRecord[]).map(({ node }) => node)).to.deep.equal(
      listed.states.map(({ node }) => node),
    );
    await api.call('POST /api/v2/node', { name: 'passing', plugin: 'Test App' });
    const hasNode = (data: Event['data'] | undefined) =>
      (data?.['states'] as NodeStateRecord[]).some(({ node }) => node === 'passing');
    // The driver's round trips change now and then, too.
    while (!hasNode(await stream.next('states')));
    await api.call('DELETE /api/v2/node', { name: 'passing' });
    let data = await stream.next('states');
    while ((data?.['gone'] as string[]).length === 0) data = await stream.next('states');
    expect(data?.['gone']).to.deep.equal(['passing']);
    expect(hasNode(data)).to.equal(false);
  });

  it('tells all values of a group first and then what they become', async () => {
    await using stream = await Stream.open(api, { values: [{ node: 'd', group: 'g' }] });
    const first = await stream.next('values');
    expect(first).to.include({ node: 'd', group: 'g', full: true });
    expect(first?.['tags']).to.have.lengthOf(3);
    await write('b', 7);
    // The gateway has seen it change.
    while (!/\{"name":"b","value":7,"since":\d+\}/.test(JSON.stringify(await stream.next('values'))));
  });

  it('tells of the tags alone that are asked for, and of others when that changes', async () => {
    await using stream = await Stream.open(api, { values: [{ node: 'd', group: 'g', tags: ['a'] }] });
    const hello = await stream.next('hello');
    const names = (data: Event['data'] | undefined) =>
      (data?.['tags'] as { name: string }[]).map(({ name }) => name);
    expect(names(await stream.next('values'))).to.deep.equal(['a']);
    const values = [{ node: 'd', group: 'g', tags: ['a', 'c'] }];
    const changed = await api.call('PUT /live/events', { stream: hello?.['stream'], values });
    expect(changed.body).to.deep.equal({ error: 0 });
    let data = await stream.next('values');
    while (data?.['full'] !== true) data = await stream.next('values');
    expect(names(data)).to.deep.equal(['a', 'c']);
  });

  it('says once that there is no such group, and goes on when there is', async () => {
    await using stream = await Stream.open(api, { values: [{ node: 'd', group: 'late' }] });
    expect(await stream.next('group')).to.deep.include({
      node: 'd',
      group: 'late',
      error: ErrorCode.GROUP_NOT_FOUND,
    });
    await api.call('POST /api/v2/group', { node: 'd', name: 'late', interval: 100 });
    expect(await stream.next('values')).to.deep.include({ node: 'd', group: 'late', full: true });
    await api.call('DELETE /api/v2/group', { node: 'd', group: 'late' });
    expect(await stream.next('group')).to.deep.include({ error: ErrorCode.GROUP_NOT_FOUND });
  });

  it('beats, and ends when its token is not good any more', async function () {
    this.timeout(15_000);
    await api.call('POST /api/v2/users', { name: 'guest', password: 'guest-1' });
    const login = await api.call('POST /api/v2/login', { name: 'guest', pass: 'guest-1' });
    await using stream = await Stream.open(api, { states: true }, (login.body as { token: string }).token);
    expect(await stream.next('beat')).to.have.key('time');
    await api.call('DELETE /api/v2/users', { name: 'guest' });
    expect(await stream.next('end')).to.deep.include({ error: ErrorCode.TOKEN_INVALID });
    expect(await stream.next('beat')).to.equal(undefined);
  });

  it("is nobody's but its opener's to change, and not there without a token", async () => {
    await using stream = await Stream.open(api, {});
    const hello = await stream.next('hello');
    await api.call('POST /api/v2/users', { name: 'other', password: 'other-1' });
    const login = await api.call('POST /api/v2/login', { name: 'other', pass: 'other-1' });
    const foreign = await api.call(
      'PUT /live/events',
      { stream: hello?.['stream'], values: [] },
      { Authorization: `Bearer ${(login.body as { token: string }).token}` },
    );
    expect([foreign.status, foreign.body]).to.deep.equal([400, { error: ErrorCode.PARAM_INVALID }]);
    expect((await api.call('POST /live/events', {}, { Authorization: '' })).status).to.equal(401);
  });

  it('is open to so many at once, and to others again when some have gone', async () => {
    const api = await startApi();
    const streams: Stream[] = [];
    for (let count = 0; count < 64; count++) streams.push(await Stream.open(api, {}));
    const refused = await api.call('POST /live/events', {});
    expect(refused.body).to.deep.equal({ error: ErrorCode.BUSY });
    await Promise.all(streams.map((stream) => stream[Symbol.asyncDispose]()));
    for (let attempt = 0; ; attempt++) {
      const response = await fetch(`http://127.0.0.1:${api.port}/live/events`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${api.token}` },
        body: '{}',
      });
      await response.body?.cancel();
      if (response.status === 200) break;
      expect(attempt, 'the streams that were closed are counted still').to.be.below(100);
    }
    await api.close();
  });

  it('ends with the gateway', async () => {
    const ending = new AbortController();
    const api = await startApi({ ending: ending.signal });
    await using stream = await Stream.open(api, { states: true });
    await stream.next('states');
    ending.abort();
    expect(await stream.next('end')).to.have.property('message', 'The gateway ends.');
    await api.close();
  });
});
