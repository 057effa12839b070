import { measureJitter, measureReadsBeside } from './beside.ts';
import { measureCache } from './cache.ts';
import { calculationCases, measureCalculation } from './calculation.ts';
import { changeCases, measureChanges } from './changes.ts';
import { besideFloor, measureBesideFloor, measureFloor, measureGrowth } from './floor.ts';
import { cycleName, measureCycle } from './cycle.ts';
import { followingName, measureFollowing } from './following.ts';
import { measureHttp, measureLists } from './http.ts';
import { linksName, measureLinks } from './links.ts';
import { appsCases, measureApps, measureNodes, nodesCases } from './nodes.ts';
import { dataPathCases, measurePolled, measureSmallMachine, smallMachineName } from './polled.ts';
import { measureRegisters, registersName } from './registers.ts';
import { measureReporting, reportingName } from './reporting.ts';
import type { Measure, MeasureContext } from './setup.ts';
import { driverCases, mixedCase } from './sources.ts';
import { measureSparkplug, measureSparkplugEncoder, sparkplugCases } from './sparkplug.ts';
import { measureIdle, measureOpcUaStart, measureStartUp } from './start-up.ts';
import { measureStores, storesCases } from './stores.ts';
import { measureTags } from './tags.ts';
import { measureWrites } from './writes.ts';

type Measurement = readonly [name: string, measure: Measure];

/** A measurement of each case. */
const each = <Case extends { readonly name: string }>(
  cases: readonly Case[],
  measure: (test: Case, run: MeasureContext) => Promise<void>,
): Measurement[] => cases.map((test) => [test.name, (run) => measure(test, run)]);

/** All measurements by the name that `--only` looks at, in the order in which they are made. */
export const measurements: readonly Measurement[] = [
  // The floor goes right before what is compared with it.
  ...dataPathCases.flatMap((test): Measurement[] => {
    const { floor } = test;
    const gateway = each([test], measurePolled);
    return floor === undefined ? gateway : [[floor, (run) => measureFloor(floor, test, run)], ...gateway];
  }),
  [besideFloor.name, measureBesideFloor],
  [cycleName, measureCycle],
  [smallMachineName, measureSmallMachine],
  ['growth of a large group @ 1 s', measureGrowth],
  ...each([mixedCase], measurePolled),
  ...each(nodesCases, measureNodes),
  ...each(appsCases, measureApps),
  [reportingName, measureReporting],
  [followingName, measureFollowing],
  [registersName, measureRegisters],
  ...each(calculationCases, measureCalculation),
  [linksName, measureLinks],
  ...each(changeCases, measureChanges),
  ['cache', measureCache],
  ['Sparkplug encoder', measureSparkplugEncoder],
  ...each(sparkplugCases, measureSparkplug),
  ...each(storesCases, measureStores),
  ['idle memory', measureIdle],
  ['write latency', measureWrites],
  ['reads beside', measureReadsBeside],
  ['jitter', measureJitter],
  ['http', measureHttp],
  ['lists of a large gateway', measureLists],
  ['adding tags', measureTags],
  ['OPC UA, start-up and memory', measureOpcUaStart],
  ...each(driverCases, measurePolled),
  ['start-up with 10k tags', (run) => measureStartUp(10_000, run)],
  ['start-up with 100k tags', (run) => measureStartUp(100_000, run)],
];
