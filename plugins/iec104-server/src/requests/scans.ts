import { Cause, UnitWriter } from '@tagway/iec104';
import type { Address } from '../points/directory.ts';
import type { Point } from '../points/point.ts';
import { answerTo, type Request } from './request.ts';

/** Qualifiers of interrogation: the whole station, and from there the groups 1 to 16. */
export const wholeStation = 20;
const lastGroup = 36;
/** Qualifiers of counter interrogation: groups 1 to 4, and all. */
export const allCounters = 5;

export const isInterrogation = (qualifier: number): boolean =>
  qualifier >= wholeStation && qualifier <= lastGroup;

type Units = Generator<Buffer, undefined>;

/** Points that are looked at for one unit of data. */
const pieceSize = 128;

/** Writes points into units of data, some at a time, so that each has the values of the moment in which it leaves. */
function* unitsOf(
  points: readonly Point[],
  utcOffset: number,
  write: (writer: UnitWriter, point: Point) => void,
): Units {
  const ready: Buffer[] = [];
  const writer = new UnitWriter(utcOffset, (asdu) => ready.push(asdu));
  for (let at = 0; at < points.length; at += pieceSize) {
    for (const point of points.slice(at, at + pieceSize)) write(writer, point);
    writer.flush();
    yield* ready.splice(0);
  }
  return undefined;
}

/** Points by type and address, so that those of one type leave together. */
function ordered(points: Iterable<Point>): Point[] {
  return [...points].sort((one, other) => one.plain - other.plain || one.object - other.object);
}

/** Confirmation, the objects, termination. */
export function* interrogation(request: Request, { ca, points }: Address, utcOffset: number): Units {
  const qualifier = request.asdu[request.at]!;
  yield answerTo(request, Cause.ACTIVATION_CONFIRMATION, false, ca);
  const group = qualifier - wholeStation;
  const asked = ordered(points.values()).filter(
    ({ counter, row }) => counter === undefined && (group === 0 || (row.groups & (1 << group)) !== 0),
  );
  yield* unitsOf(asked, utcOffset, (writer, point) => point.writeState(writer, qualifier));
  yield answerTo(request, Cause.ACTIVATION_TERMINATION, false, ca);
  return undefined;
}

/** The counters of a group, or of all with `allCounters`. */
export function countersOf({ points }: Address, group: number): Point[] {
  return ordered(points.values()).filter(
    ({ counter, row }) => counter !== undefined && (group === allCounters || row.counterGroup === group),
  );
}

/** Confirmation, the counters unless they were only frozen, termination. */
export function* counterInterrogation(
  request: Request,
  ca: number,
  counters: readonly Point[],
  utcOffset: number,
): Units {
  yield answerTo(request, Cause.ACTIVATION_CONFIRMATION, false, ca);
  const group = request.asdu[request.at]! & 0x3f;
  const cause = group === allCounters ? Cause.COUNTERS_REQUESTED : Cause.COUNTERS_REQUESTED + group;
  yield* unitsOf(counters, utcOffset, (writer, point) => point.writeCounter(writer, cause));
  yield answerTo(request, Cause.ACTIVATION_TERMINATION, false, ca);
  return undefined;
}

/** The cyclic points of all addresses. */
export function* cycle(addresses: Iterable<Address>, utcOffset: number): Units {
  for (const { points } of addresses) {
    const cyclic = ordered(points.values()).filter(({ row }) => row.isCyclic);
    yield* unitsOf(cyclic, utcOffset, (writer, point) => point.writeState(writer, Cause.PERIODIC));
  }
  return undefined;
}
