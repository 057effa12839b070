import { layoutOf } from '@tagway/store/test';
import { type AppContext, DataType, ErrorCode, Fault, Quality } from '@tagway/sdk';
import { expect } from 'chai';
import {
  AttributeIds,
  type DataValue,
  type HistoryData,
  HistoryReadRequest,
  type HistoryReadResult,
  ReadAtTimeDetails,
  ReadProcessedDetails,
  ReadRawModifiedDetails,
  resolveNodeId,
  StatusCodes,
  TimestampsToReturn,
  UserTokenType,
} from 'node-opcua-client';
import { Client } from './kit/client.ts';
import { historyOf, pointAt } from './kit/history.ts';
import { startServer, subscriptionTo } from './kit/node.ts';

const begin = Date.UTC(2026, 0, 1, 5);
const minute = 60_000;
/** Minutes after five o'clock. */
const at = (minutes: number): Date => new Date(begin + minutes * minute);

/** The values of the examples in the specification (OPC 10000-11, 6.5.3.2 and table 1): 5:00, 5:02, 5:03, 5:05 and 5:06. */
const hours = historyOf([0, 2, 3, 5, 6].map((value) => pointAt(begin + value * minute, value)));

const layout = {
  ...layoutOf([
    { name: 'level', type: DataType.INT16 },
    { name: 'large', type: DataType.UINT64 },
    { name: 'signed', type: DataType.INT64 },
    { name: 'lamp', type: DataType.BOOL },
    { name: 'text', type: DataType.STRING },
  ]),
  keepsHistory: true as const,
};

const average = resolveNodeId('i=2342');
const minimum = resolveNodeId('i=2346');
const maximum = resolveNodeId('i=2347');
const count = resolveNodeId('i=2352');

/** Of a node to read. */
type NodeOptions = NonNullable<
  NonNullable<ConstructorParameters<typeof HistoryReadRequest>[0]>['nodesToRead']
>[number];
type RawOptions = NonNullable<ConstructorParameters<typeof ReadRawModifiedDetails>[0]>;

interface Reading extends AsyncDisposable {
  readonly client: Client;
  raw(details: RawOptions, node?: Partial<NodeOptions>): Promise<HistoryReadResult>;
  ask(details: HistoryReadRequest['historyReadDetails'], more?: object): Promise<HistoryReadResult>;
}

async function reading(history: AppContext['history'], settings?: Record<string, unknown>): Promise<Reading> {
  const node = await startServer(settings, { history });
  node.app.subscriptionsChanged([subscriptionTo(layout)]);
  const client = await Client.connect(node.port);
  const ask = async (
    historyReadDetails: HistoryReadRequest['historyReadDetails'],
    more: object = {},
    node: Partial<NodeOptions> = {},
  ): Promise<HistoryReadResult> => {
    const nodesToRead = [{ nodeId: client.id('modbus/grp/level'), ...node }];
    const request = new HistoryReadRequest({
      historyReadDetails,
      nodesToRead,
      timestampsToReturn: TimestampsToReturn.Both,
      ...more,
    });
    const { results } = await client.session.historyRead(request);
    return results![0]!;
  };
  return {
    client,
    ask,
    raw: (details, node) => ask(new ReadRawModifiedDetails({ returnBounds: false, ...details }), {}, node),
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
    },
  };
}

const dataOf = ({ historyData }: HistoryReadResult): DataValue[] =>
  (historyData as HistoryData | null)?.dataValues ?? [];
const valuesOf = (result: HistoryReadResult): unknown[] =>
  dataOf(result).map(({ value }) => value.value as unknown);
/** Minutes, or the name of the status with the minutes where there is no value. */
const shown = (result: HistoryReadResult): unknown[] =>
  dataOf(result).map(({ value, statusCode, sourceTimestamp }) =>
    statusCode.isGood()
      ? (value.value as unknown)
      : `${statusCode.name} ${((sourceTimestamp?.getTime() ?? 0) - begin) / minute}`,
  );

describe('the history of tags', function () {
  this.timeout(30_000);

  it('has every value of a range in either direction, with bounds and without, as the specification has it', async () => {
    await using history = await reading(hours);
    const cases: readonly (readonly [
      start: number | undefined,
      end: number | undefined,
      most: number,
      bounds: boolean,
      values: readonly unknown[],
    ])[] = [
      [0, 5, 0, true, [0, 2, 3, 5]],
      [0, 5, 0, false, [0, 2, 3]],
      [1, 4, 0, true, [0, 2, 3, 5]],
      [1, 4, 0, false, [2, 3]],
      [5, 0, 0, true, [5, 3, 2, 0]],
      [5, 0, 0, false, [5, 3, 2]],
      [4, 1, 0, true, [5, 3, 2, 0]],
      [4, 1, 0, false, [3, 2]],
      [4, 1, 3, true, [5, 3, 2]],
      [0, undefined, 3, false, [0, 2, 3]],
      [1, undefined, 3, true, [0, 2, 3]],
      [undefined, 6, 3, false, [6, 5, 3]],
      [undefined, 6, 3, true, [6, 5, 3]],
      [2, 2, 0, false, [2]],
      [4, 4, 0, false, []],
      [4, 4, 0, true, [3, 5]],
      [-2, 1, 0, true, ['BadBoundNotFound -2', 0, 2]],
      [6, 8, 0, true, [6, 'BadBoundNotFound 8']],
      [8, 6, 0, true, ['BadBoundNotFound 8', 6]],
      [1, -1, 0, true, [2, 0, 'BadBoundNotFound -1']],
      [-9, -8, 0, false, []],
    ];
    for (const [start, end, numValuesPerNode, returnBounds, values] of cases) {
      const result = await history.raw({
        startTime: start === undefined ? null : at(start),
        endTime: end === undefined ? null : at(end),
        numValuesPerNode,
        returnBounds,
      });
      const title = `${start} to ${end}, ${numValuesPerNode}, ${returnBounds}`;
      expect(shown(result), title).to.deep.equal(values);
      expect(result.statusCode, title).to.equal(
        values.length === 0 ? StatusCodes.GoodNoData : StatusCodes.Good,
      );
    }
  });

  it('comes in parts of the size that a client asks for, none lost and none twice, in either direction', async () => {
    // Three values have one time, so that a part ends within them.
    const times = [0, 0, 0, 1, 2, 3, 3, 3, 3, 4];
    await using history = await reading(
      historyOf(times.map((time, value) => pointAt(begin + time * minute, value))),
    );
    const all = times.map((_time, value) => value);
    for (const [startTime, endTime, expected] of [
      [at(0), at(5), all],
      [at(4), at(-1), all.toReversed()],
    ] as const)
      for (const numValuesPerNode of [1, 2, 3, 4, 7, 10, 11])
        for (const returnBounds of [false, true]) {
          const got: unknown[] = [];
          let continuationPoint: Buffer | null = null;
          do {
            const part: HistoryReadResult = await history.raw(
              { startTime, endTime, numValuesPerNode, returnBounds },
              continuationPoint === null ? {} : { continuationPoint },
            );
            expect(dataOf(part).length).to.be.within(1, numValuesPerNode);
            got.push(...shown(part));
            ({ continuationPoint } = part);
          } while (continuationPoint !== null && continuationPoint.length > 0);
          const bound = endTime > startTime ? 'BadBoundNotFound 5' : 'BadBoundNotFound -1';
          expect(got, `by ${numValuesPerNode}`).to.deep.equal(returnBounds ? [...expected, bound] : expected);
        }
  });

  it('has a bound for every answer, over which a client goes on', async () => {
    const many = Array.from({ length: 25_000 }, (_, value) => pointAt(begin + value, value % 1000));
    await using history = await reading(historyOf(many));
    const parts: number[] = [];
    let continuationPoint: Buffer | null = null;
    do {
      const part: HistoryReadResult = await history.raw(
        { startTime: at(0), numValuesPerNode: 24_000 },
        continuationPoint === null ? {} : { continuationPoint },
      );
      parts.push(dataOf(part).length);
      ({ continuationPoint } = part);
    } while (continuationPoint !== null && continuationPoint.length > 0);
    expect(parts).to.deep.equal([10_000, 10_000, 4000]);
    const nodesToRead = Array.from({ length: 50 }, () => ({ nodeId: history.client.id('modbus/grp/level') }));
    const details = new ReadRawModifiedDetails({ startTime: at(0), endTime: at(1), returnBounds: false });
    const request = new HistoryReadRequest({
      historyReadDetails: details,
      nodesToRead,
      timestampsToReturn: TimestampsToReturn.Both,
    });
    const { results } = await history.client.session.historyRead(request);
    expect(results?.map((result) => dataOf(result).length)).to.deep.equal(nodesToRead.map(() => 1000));
    const tooMany = new HistoryReadRequest({
      historyReadDetails: details,
      nodesToRead: Array.from({ length: 101 }, () => ({ nodeId: history.client.id('modbus/grp/level') })),
    });
    const refused = await history.client.session.historyRead(tooMany).catch(String);
    expect(String(refused)).to.include('BadTooManyOperations');
  });

  it('has the smallest, the largest and the mean value and their number, by intervals, in either direction', async () => {
    const points = Array.from({ length: 20 }, (_, value) => pointAt(begin + value * 1000, value));
    await using history = await reading(historyOf(points));
    const second = (seconds: number): Date => new Date(begin + seconds * 1000);
    const read = async (
      start: number,
      end: number,
      processingInterval: number,
      aggregate = average,
    ): Promise<unknown[]> => {
      const details = { startTime: second(start), endTime: second(end), processingInterval };
      const result = await history.ask(new ReadProcessedDetails({ ...details, aggregateType: [aggregate] }));
      return dataOf(result).map(({ value, sourceTimestamp, statusCode }) => [
        ((sourceTimestamp?.getTime() ?? 0) - begin) / 1000,
        statusCode.isGoodish() ? (value.value as unknown) : statusCode.name,
      ]);
    };
    expect(await read(0, 20, 10_000)).to.deep.equal([
      [0, 4.5],
      [10, 14.5],
    ]);
    expect(await read(0, 20, 10_000, minimum)).to.deep.equal([
      [0, 0],
      [10, 10],
    ]);
    expect(await read(0, 20, 10_000, maximum)).to.deep.equal([
      [0, 9],
      [10, 19],
    ]);
    expect(await read(0, 30, 15_000, count)).to.deep.equal([
      [0, 15],
      [15, 5],
    ]);
    expect(await read(0, 40, 20_000, count), 'an interval without values').to.deep.equal([
      [0, 20],
      [20, 0],
    ]);
    expect(await read(0, 40, 20_000)).to.deep.equal([
      [0, 9.5],
      [20, 'BadNoData'],
    ]);
    expect(await read(0, 25, 10_000, maximum), 'the last is shorter').to.deep.equal([
      [0, 9],
      [10, 19],
      [20, 'BadNoData'],
    ]);
    expect(await read(20, 5, 10_000, minimum), 'backwards').to.deep.equal([
      [20, 10],
      [10, 5],
    ]);
    expect(await read(0, 20, 0), 'one interval').to.deep.equal([[0, 9.5]]);
    const parts = await read(0, 20, 1);
    expect(parts).to.have.lengthOf(10_000);
  });

  it('keeps 64 bits exact, and says why a value is none', async () => {
    const large = 2n ** 64n - 2n;
    await using history = await reading(
      historyOf([
        pointAt(begin, large),
        { time: begin + 1, value: undefined, error: ErrorCode.HISTORY_GAP, quality: 0 },
        { time: begin + 2, value: undefined, error: ErrorCode.DISCONNECTED, quality: 0 },
        { time: begin + 3, value: 5, error: 0, quality: Quality.SUBSTITUTED },
      ]),
    );
    const range = { startTime: at(0), endTime: at(1) };
    const result = await history.raw(range, { nodeId: history.client.id('modbus/grp/large') });
    const [first, gap, away, substituted] = dataOf(result);
    expect(first?.value.value).to.deep.equal([0xffff_ffff, 0xffff_fffe]);
    expect(gap?.statusCode).to.equal(StatusCodes.BadNoData);
    expect(away?.statusCode).to.equal(StatusCodes.BadNoCommunication);
    expect(substituted?.statusCode).to.equal(StatusCodes.UncertainSubstituteValue);
    expect(first?.sourceTimestamp).to.deep.equal(at(0));
    await using other = await reading(historyOf([pointAt(begin, -2n), pointAt(begin + 1, 1)]));
    const signed = await other.raw(range, { nodeId: other.client.id('modbus/grp/signed') });
    expect(valuesOf(signed)).to.deep.equal([
      [0xffff_ffff, 0xffff_fffe],
      [0, 1],
    ]);
    const lamp = await other.raw(range, { nodeId: other.client.id('modbus/grp/lamp') });
    expect(valuesOf(lamp)).to.deep.equal([true, true]);
  });

  it('says which tags have one, and what the server can do', async () => {
    await using history = await reading(hours);
    const { client } = history;
    const attribute = async (reference: string, id: AttributeIds): Promise<unknown> =>
      (await client.read(reference, id)).value.value as unknown;
    expect(await attribute('modbus/grp/level', AttributeIds.Historizing)).to.equal(true);
    expect(await attribute('modbus/grp/text', AttributeIds.Historizing)).to.equal(false);
    expect(Number(await attribute('modbus/grp/level', AttributeIds.AccessLevel)) & 4).to.equal(4);
    expect(Number(await attribute('modbus/grp/level', AttributeIds.UserAccessLevel)) & 4).to.equal(4);
    expect(Number(await attribute('modbus/grp/text', AttributeIds.AccessLevel)) & 4).to.equal(0);
    const standard = async (id: string): Promise<unknown> =>
      (await client.session.read({ nodeId: id, attributeId: AttributeIds.Value })).value.value as unknown;
    expect([await standard('i=11193'), await standard('i=11242'), await standard('i=11273')]).to.deep.equal([
      true,
      false,
      10_000,
    ]);
    const browse = async (nodeId: string): Promise<string[]> =>
      ((await client.session.browse(nodeId)).references ?? []).map(({ browseName }) =>
        String(browseName.name),
      );
    expect(await browse('i=11201')).to.have.members(['Average', 'Minimum', 'Maximum', 'Count']);
    expect(await browse('i=2997')).to.have.members(['Average', 'Minimum', 'Maximum', 'Count']);
    expect(await browse(client.id('modbus/grp/level'))).to.include('HA Configuration');
    expect(await browse(client.id('modbus/grp/text'))).not.to.include('HA Configuration');
  });

  it('is refused with the status that says why', async () => {
    const { HISTORY_NOT_KEPT, PARAM_INVALID, BUSY, NODE_NOT_FOUND } = ErrorCode;
    let fault = 0;
    await using history = await reading(async (...asked) => {
      if (fault !== 0) throw new Fault(fault);
      return await hours(...asked);
    });
    const { client, raw, ask } = history;
    const range = { startTime: at(0), endTime: at(5) };
    const status = async (result: Promise<HistoryReadResult>): Promise<string> =>
      (await result).statusCode.name;
    expect(await status(raw(range, { nodeId: client.id('modbus/grp/text') }))).to.equal(
      'BadHistoryOperationUnsupported',
    );
    expect(await status(raw(range, { nodeId: client.id('modbus/grp/none') }))).to.equal('BadNodeIdUnknown');
    expect(await status(raw(range, { nodeId: 'i=2258' }))).to.equal('BadHistoryOperationUnsupported');
    expect(await status(raw({ startTime: at(0) }))).to.equal('BadHistoryOperationInvalid');
    expect(await status(raw({ ...range, isReadModified: true }))).to.equal('BadHistoryOperationUnsupported');
    expect(await status(raw(range, { continuationPoint: Buffer.from('nonsense') }))).to.equal(
      'BadContinuationPointInvalid',
    );
    expect(await status(raw(range, { continuationPoint: Buffer.alloc(16, 0xff) }))).to.equal(
      'BadContinuationPointInvalid',
    );
    expect(await status(raw(range, { dataEncoding: { name: 'Default XML' } }))).to.equal(
      'BadDataEncodingUnsupported',
    );
    expect(await status(ask(new ReadAtTimeDetails({ reqTimes: [at(1)] })))).to.equal(
      'BadHistoryOperationUnsupported',
    );
    const processed = { ...range, processingInterval: 1000 };
    const start = resolveNodeId('i=2357');
    expect(await status(ask(new ReadProcessedDetails({ ...processed, aggregateType: [start] })))).to.equal(
      'BadAggregateNotSupported',
    );
    expect(await status(ask(new ReadProcessedDetails({ ...processed, aggregateType: [] })))).to.equal(
      'BadAggregateListMismatch',
    );
    const empty = { ...processed, endTime: at(0), aggregateType: [average] };
    expect(await status(ask(new ReadProcessedDetails(empty)))).to.equal('BadInvalidArgument');
    const details = new ReadRawModifiedDetails(range);
    expect(await status(ask(details, { timestampsToReturn: TimestampsToReturn.Neither }))).to.equal(
      'BadTimestampsToReturnInvalid',
    );
    expect(await status(ask(details, { releaseContinuationPoints: true }))).to.equal('Good');
    for (const [code, name] of [
      [HISTORY_NOT_KEPT, 'BadHistoryOperationUnsupported'],
      [PARAM_INVALID, 'BadInvalidArgument'],
      [BUSY, 'BadResourceUnavailable'],
      [NODE_NOT_FOUND, 'BadNodeIdUnknown'],
    ] as const) {
      fault = code;
      expect(await status(raw(range))).to.equal(name);
    }
  });

  it('is read by a viewer, and by clients without a user where these may read', async () => {
    const login = async (): Promise<{ role: 'viewer' }> => ({ role: 'viewer' });
    await using node = await startServer({ unsecured: true, anonymous: true }, { history: hours, login });
    node.app.subscriptionsChanged([subscriptionTo(layout)]);
    const user = { type: UserTokenType.UserName, userName: 'vera', password: 'secret' } as const;
    for (const options of [{ user }, {}]) {
      await using client = await Client.connect(node.port, options);
      const nodeId = client.id('modbus/grp/level');
      const result = await client.session.readHistoryValue({ nodeId }, at(0), at(5), { returnBounds: false });
      expect(shown(result)).to.deep.equal([0, 2, 3]);
    }
  });

  it('has the timestamps that are asked for', async () => {
    await using history = await reading(hours);
    const details = new ReadRawModifiedDetails({ startTime: at(0), endTime: at(1), returnBounds: false });
    const [source] = dataOf(await history.ask(details, { timestampsToReturn: TimestampsToReturn.Source }));
    expect([source?.sourceTimestamp, source?.serverTimestamp]).to.deep.equal([at(0), null]);
    const [server] = dataOf(await history.ask(details, { timestampsToReturn: TimestampsToReturn.Server }));
    expect([server?.sourceTimestamp, server?.serverTimestamp]).to.deep.equal([null, at(0)]);
  });
});
