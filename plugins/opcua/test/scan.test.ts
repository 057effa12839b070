import { expect } from 'chai';
import { DataType, isFault, type ScanPage } from '@tagway/sdk';
import { pointsOf, Run } from './run.ts';
import { Server } from './server.ts';

describe('scanning an OPC UA server', function () {
  this.timeout(30_000);
  let server: Server;
  let run: Run;

  before(async () => {
    server = await Server.start({ counting: 700, limit: 100 });
    run = await Run.connected({ url: server.url });
  });
  after(async () => {
    await run?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const scan = (id: string, ctx = '', loadIndex = 0): Promise<ScanPage> =>
    run.driver.scan({ id, ctx, loadIndex }, new AbortController().signal);

  const all = async (id: string): Promise<ScanPage['tags'][number][]> => {
    let page = await scan(id);
    const entries = [...page.tags];
    while (!page.completed) {
      page = await scan(id, page.ctx, page.loadIndex);
      entries.push(...page.tags);
    }
    expect(entries).to.have.length(page.total);
    return entries;
  };

  it('begins with the objects of the server', async () => {
    const page = await scan('');
    expect(page).to.include({ type: 0, isArray: false, completed: true });
    const names = page.tags.map(({ name, isTag }) => [name, isTag]);
    expect(names).to.deep.include(['Server', false]);
    expect(page.tags.find(({ name }) => name === 'Machines')?.id).to.match(/^1!/);
  });

  it('lists a folder page by page with the types of its variables, and every tag in it can be read', async () => {
    const machines = (await scan('')).tags.find(({ name }) => name === 'Machines');
    const entries = await all(machines?.id ?? '');
    expect(entries.length).to.be.greaterThan(720);
    const typeOf = (name: string): unknown => {
      const entry = entries.find((one) => one.name === name);
      return entry && [entry.id, entry.isTag, entry.type];
    };
    expect(typeOf('UInt64')).to.deep.equal(['1!UInt64', true, DataType.UINT64]);
    expect(typeOf('DateTime')).to.deep.equal(['1!DateTime', true, DataType.UINT32]);
    expect(typeOf('LocalizedText')).to.deep.equal(['1!LocalizedText', true, DataType.STRING]);
    expect(typeOf('Numeric')).to.deep.equal(['1!1001', true, DataType.INT32]);
    expect(typeOf('ByteString')).to.deep.equal(['1!ByteString', false, 0]);
    expect(typeOf('Int32Array')).to.deep.equal(['1!Int32Array', false, 0]);
    const tags = entries.filter(({ isTag, name }) => isTag && name !== 'Broken' && name !== 'Early');
    const points = pointsOf(...tags.map(({ id, type }) => [id, type as DataType] as const));
    const outcomes = await run.driver.read(points, new AbortController().signal);
    expect(outcomes.filter(isFault).map(String)).to.deep.equal([]);
  });

  it('lists the elements of an array, which are tags', async () => {
    const page = await scan('1!Matrix');
    expect(page).to.include({ type: DataType.DOUBLE, isArray: true, total: 6 });
    expect(page.tags[5]).to.deep.equal({
      name: '[1,2]',
      id: '1[1,2]!Matrix',
      isTag: true,
      type: DataType.DOUBLE,
    });
    expect(await run.read(pointsOf([page.tags[5]?.id ?? '', DataType.DOUBLE]))).to.deep.equal([12]);
  });

  it('finds the built-in type behind a type that descends from it', async () => {
    const status = (await all('0!2256')).find(({ name }) => name === 'CurrentTime');
    expect(status).to.include({ isTag: true, type: DataType.UINT32 });
    const state = (await all('0!2256')).find(({ name }) => name === 'State');
    expect(state).to.include({ isTag: true, type: DataType.INT32 });
  });

  it('goes on where it was after its list was forgotten', async () => {
    const machines = (await scan('')).tags.find(({ name }) => name === 'Machines')?.id ?? '';
    const page = await scan(machines, 'forgotten', 500);
    expect(page.loadIndex).to.equal(page.total);
    expect(page.completed).to.equal(true);
  });

  it('says that there is no such place', async () => {
    for (const id of ['1!Nowhere', 'not an id']) {
      const fault = await scan(id).catch((error: unknown) => error);
      expect(fault, id).to.include({ code: 3000 });
    }
  });
});
