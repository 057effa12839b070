import { appsCases, measureApps } from './apps.ts';
import { measureJitter, measureReadsBeside } from './beside.ts';
import { measureCache } from './cache.ts';
import { dataPathCases, measureDataPath } from './data-path.ts';
import { driverCases, measureDriver } from './drivers.ts';
import { eventCases, measureEvents } from './events.ts';
import { besideFloor, measureBesideFloor, measureFloor } from './floor.ts';
import { growth, measureGrowth } from './growth.ts';
import { measureHttp } from './http.ts';
import { iec104Cases, measureIec104 } from './iec104.ts';
import { measureIdle } from './idle.ts';
import { measureLists } from './lists.ts';
import { measureOpcUa, measureOpcUaStart, opcUaCases } from './opcua.ts';
import { measureMixed, mixedCases } from './mixed.ts';
import { measureNodes, nodesCases } from './nodes.ts';
import type { Measure } from './run.ts';
import { measureSparkplug, measureSparkplugEncoder, sparkplugCases } from './sparkplug.ts';
import { measureStartUp } from './start-up.ts';
import { measureTags } from './tags.ts';
import { measureWrites } from './writes.ts';

/** All measurements by the name that `--only` looks at, in the order in which they are made. */
export const measurements: readonly (readonly [name: string, measure: Measure])[] = [
  // The floor goes right before what is compared with it.
  ...dataPathCases.flatMap((test): [string, Measure][] => {
    const { name, floor } = test;
    const gateway: [string, Measure] = [name, (run) => measureDataPath(test, run)];
    return floor === undefined ? [gateway] : [[floor, (run) => measureFloor(floor, test, run)], gateway];
  }),
  [besideFloor.name, measureBesideFloor],
  [growth, measureGrowth],
  ...mixedCases.map((test): [string, Measure] => [test.name, (run) => measureMixed(test, run)]),
  ...nodesCases.map((test): [string, Measure] => [test.name, (run) => measureNodes(test, run)]),
  ...appsCases.map((test): [string, Measure] => [test.name, (run) => measureApps(test, run)]),
  ...eventCases.map((test): [string, Measure] => [test.name, (run) => measureEvents(test, run)]),
  ...iec104Cases.map((test): [string, Measure] => [test.name, (run) => measureIec104(test, run)]),
  ['cache', measureCache],
  ['Sparkplug encoder', measureSparkplugEncoder],
  ...sparkplugCases.map((test): [string, Measure] => [test.name, (run) => measureSparkplug(test, run)]),
  ['idle memory', measureIdle],
  ['write latency', measureWrites],
  ['reads beside', measureReadsBeside],
  ['jitter', measureJitter],
  ['http', measureHttp],
  ['lists of a large gateway', measureLists],
  ['adding tags', measureTags],
  ['OPC UA, start-up and memory', measureOpcUaStart],
  ...opcUaCases.map((test): [string, Measure] => [test.name, (run) => measureOpcUa(test, run)]),
  ...driverCases.map((test): [string, Measure] => [test.name, (run) => measureDriver(test, run)]),
  ['start-up with 10k tags', (run) => measureStartUp(10_000, run)],
  ['start-up with 100k tags', (run) => measureStartUp(100_000, run)],
];
