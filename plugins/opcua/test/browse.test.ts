import { expect } from 'chai';
import { type BrowseEntry, type BrowsePage, type BrowseRequest, DataType } from '@tagway/sdk';
import { callOf, type ReportRecorder } from '@tagway/testkit';
import { pointsOf, Fixture } from './fixture.ts';
import { Server } from './server.ts';

describe('browsing an OPC UA server', function () {
  this.timeout(30_000);
  let server: Server;
  let fixture: Fixture;

  before(async () => {
    server = await Server.start({ counting: 700, limit: 100 });
    fixture = await Fixture.connected({ url: server.url });
  });
  after(async () => {
    await fixture?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const browse = (id: string, cursor?: string): Promise<BrowsePage> => {
    const request: BrowseRequest = cursor === undefined ? { id } : { id, cursor };
    return fixture.driver.browse(request, callOf());
  };

  const all = async (id: string): Promise<BrowseEntry[]> => {
    let page = await browse(id);
    const entries = [...page.entries];
    while (page.cursor !== undefined) {
      page = await browse(id, page.cursor);
      entries.push(...page.entries);
    }
    expect(entries).to.have.length(page.total ?? -1);
    return entries;
  };

  it('begins with the objects of the server', async () => {
    const page = await browse('');
    expect(page).to.include({ type: 0, isArray: false });
    expect(page.cursor).to.equal(undefined);
    const names = page.entries.map(({ name, readable }) => [name, readable]);
    expect(names).to.deep.include(['Server', false]);
    expect(page.entries.find(({ name }) => name === 'Machines')?.id).to.match(/^1!/);
  });

  it('lists a folder page by page with the types of its variables, and every tag in it can be read', async () => {
    const machines = (await browse('')).entries.find(({ name }) => name === 'Machines');
    const entries = await all(machines?.id ?? '');
    expect(entries.length).to.be.greaterThan(720);
    const typeOf = (name: string): unknown => {
      const entry = entries.find((one) => one.name === name);
      return entry && [entry.id, entry.readable, entry.type];
    };
    expect(typeOf('UInt64')).to.deep.equal(['1!UInt64', true, DataType.UINT64]);
    expect(typeOf('DateTime')).to.deep.equal(['1!DateTime', true, DataType.UINT32]);
    expect(typeOf('LocalizedText')).to.deep.equal(['1!LocalizedText', true, DataType.STRING]);
    expect(typeOf('Numeric')).to.deep.equal(['1!1001', true, DataType.INT32]);
    expect(typeOf('ByteString')).to.deep.equal(['1!ByteString', false, 0]);
    expect(typeOf('Int32Array')).to.deep.equal(['1!Int32Array', false, 0]);
    const tags = entries.filter(({ readable, name }) => readable && name !== 'Broken' && name !== 'Early');
    const points = pointsOf(...tags.map(({ id, type }) => [id, type as DataType] as const));
    const report = (await fixture.report(points)) as ReportRecorder;
    expect(report.faults.filter((fault) => fault !== undefined).map(String)).to.deep.equal([]);
  });

  it('lists the elements of an array, which are tags', async () => {
    const page = await browse('1!Matrix');
    expect(page).to.include({ type: DataType.DOUBLE, isArray: true, total: 6 });
    expect(page.entries[5]).to.deep.equal({
      name: '[1,2]',
      id: '1[1,2]!Matrix',
      readable: true,
      type: DataType.DOUBLE,
    });
    expect(await fixture.read(pointsOf([page.entries[5]?.id ?? '', DataType.DOUBLE]))).to.deep.equal([12]);
  });

  it('finds the built-in type behind a type that descends from it', async () => {
    const status = (await all('0!2256')).find(({ name }) => name === 'CurrentTime');
    expect(status).to.include({ readable: true, type: DataType.UINT32 });
    const state = (await all('0!2256')).find(({ name }) => name === 'State');
    expect(state).to.include({ readable: true, type: DataType.INT32 });
  });

  it('goes on where it was in another run, from the cursor alone', async () => {
    const machines = (await browse('')).entries.find(({ name }) => name === 'Machines')?.id ?? '';
    const first = await browse(machines);
    await using other = await Fixture.connected({ url: server.url });
    const second = await other.driver.browse({ id: machines, cursor: first.cursor ?? '' }, callOf());
    expect(second.cursor).to.equal(undefined);
    expect(first.entries.length + second.entries.length).to.equal(second.total);
  });

  it('says that there is no such place', async () => {
    for (const id of ['1!Nowhere', 'not an id']) {
      const fault = await browse(id).catch((error: unknown) => error);
      expect(fault, id).to.include({ code: 3000 });
    }
  });
});
