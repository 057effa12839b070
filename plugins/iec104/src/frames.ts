import type { FrameFormat, FrameMeaning, Point } from '@tagway/sdk';
import { objectOf } from './address.ts';
import {
  asduHeaderSize,
  Cause,
  CauseBit,
  causeMask,
  CommandType,
  Control,
  elementOf,
  headerSize,
  SystemType,
} from '@tagway/iec104';

/** Most objects that the line of a frame names. */
const mostObjects = 8;

const controls = new Map<number, string>([
  [Control.STARTDT_ACT, 'Start of data asked for (STARTDT)'],
  [Control.STARTDT_CON, 'Start of data confirmed (STARTDT)'],
  [Control.STOPDT_ACT, 'Stop of data asked for (STOPDT)'],
  [Control.STOPDT_CON, 'Stop of data confirmed (STOPDT)'],
  [Control.TESTFR_ACT, 'Test (TESTFR)'],
  [Control.TESTFR_CON, 'Test confirmed (TESTFR)'],
]);

const typeNames = new Map<number, string>([
  [CommandType.SINGLE, 'Single command (C_SC_NA_1)'],
  [CommandType.DOUBLE, 'Double command (C_DC_NA_1)'],
  [CommandType.STEP, 'Step command (C_RC_NA_1)'],
  [CommandType.NORMALIZED, 'Normalized set point (C_SE_NA_1)'],
  [CommandType.SCALED, 'Scaled set point (C_SE_NB_1)'],
  [CommandType.SHORT_FLOAT, 'Short float set point (C_SE_NC_1)'],
  [CommandType.BIT_STRING, 'Bit string command (C_BO_NA_1)'],
  [SystemType.END_OF_INITIALIZATION, 'End of initialization (M_EI_NA_1)'],
  [SystemType.INTERROGATION, 'Interrogation (C_IC_NA_1)'],
  [SystemType.COUNTER_INTERROGATION, 'Interrogation of counters (C_CI_NA_1)'],
  [SystemType.CLOCK_SYNCHRONIZATION, 'Clock synchronization (C_CS_NA_1)'],
]);

const causeNames = new Map<number, string>([
  [1, 'periodic'],
  [2, 'background scan'],
  [Cause.SPONTANEOUS, 'spontaneous'],
  [4, 'initialized'],
  [5, 'requested'],
  [Cause.ACTIVATION, 'activation'],
  [Cause.ACTIVATION_CONFIRMATION, 'activation confirmed'],
  [8, 'deactivation'],
  [9, 'deactivation confirmed'],
  [Cause.ACTIVATION_TERMINATION, 'activation terminated'],
  [Cause.REMOTE_RETURN, 'return of a remote command'],
  [Cause.LOCAL_RETURN, 'return of a local command'],
  [Cause.INTERROGATED, 'interrogated'],
  [Cause.COUNTERS_REQUESTED, 'counters requested'],
  [Cause.UNKNOWN_TYPE, 'unknown type'],
  [Cause.UNKNOWN_CAUSE, 'unknown cause'],
  [Cause.UNKNOWN_COMMON_ADDRESS, 'unknown common address'],
  [Cause.UNKNOWN_OBJECT, 'unknown object'],
]);

/** How frames are shown to people who trace them. A common address is a unit. */
export const frames: FrameFormat = {
  port: 2404,
  byTag: true,
  byUnit: true,
  explain: (tag) => (_direction, frame) => explain(frame, tag),
};

function explain(frame: Buffer, tag: Point | undefined): FrameMeaning | undefined {
  if (frame.length < headerSize) return undefined;
  const control = frame[2]!;
  if ((control & 3) === 3) return { text: controls.get(control) ?? `Control 0x${control.toString(16)}` };
  if ((control & 1) === 1) return { text: `Frames before number ${frame.readUInt16LE(4) >> 1} acknowledged` };
  if (frame.length < headerSize + asduHeaderSize) return undefined;
  const asdu = frame.subarray(headerSize);
  const type = asdu[0]!;
  const causes = asdu[2]!;
  const { objects, name } = objectsOf(asdu);
  const cause = causeNames.get(causes & causeMask) ?? `cause ${causes & causeMask}`;
  const isNegative = (causes & CauseBit.NEGATIVE) !== 0;
  const shown = objects.slice(0, mostObjects).map(({ object, text }) => `${object}${text}`);
  const more = objects.length > mostObjects ? ` and ${objects.length - mostObjects} more` : '';
  const about = shown.length === 0 ? '' : `: ${shown.join(', ')}${more}`;
  const wanted = tag && objectOf(tag.address);
  return {
    unit: String(asdu.readUInt16LE(4)),
    text: `${typeNames.get(type) ?? name ?? `Type ${type}`}, ${cause}${isNegative ? ', negative' : ''}${about}`,
    isOfTag: wanted !== undefined && objects.some(({ object }) => object === wanted),
  };
}

interface ShownObject {
  readonly object: number;
  /** Its value, where the type is known. */
  readonly text: string;
}

/** The objects of an ASDU: of a type that is monitored with their values, of another one the first. */
function objectsOf(asdu: Buffer): { readonly objects: ShownObject[]; readonly name?: string } {
  const qualifier = asdu[1]!;
  const isSequence = (qualifier & 0x80) !== 0;
  const count = qualifier & 0x7f;
  const element = elementOf(asdu[0]!);
  let at = asduHeaderSize;
  if (at + 3 > asdu.length) return { objects: [] };
  if (element === undefined) return { objects: [{ object: asdu.readUIntLE(at, 3), text: '' }] };
  const objects: ShownObject[] = [];
  let object = 0;
  for (let index = 0; index < count; index++) {
    const hasAddress = !isSequence || index === 0;
    if (at + (hasAddress ? 3 : 0) + element.size > asdu.length) break;
    object = hasAddress ? asdu.readUIntLE(at, 3) : object + 1;
    if (hasAddress) at += 3;
    objects.push({ object, text: ` = ${element.valueAt(asdu, at)}` });
    at += element.size;
  }
  return { objects, name: element.name };
}
