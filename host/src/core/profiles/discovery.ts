import {
  ErrorCode,
  type Profile,
  type ProfileDiscovery,
  type ProfileModel,
  profileLimits,
} from '@tagway/schemas';
import { type Fault, isFault } from '@tagway/sdk';
import type { TrialRead } from '../ports/ports.ts';
import { reasonOf, Refusal, type Sentence, sentence } from '../system/sentence.ts';
import type { GroupDraft } from '../transfer/drafts.ts';
import { pointsOf, type PlacedPoint, tagOfPoint } from './model-tags.ts';
import type { Parameters } from './profile-groups.ts';
import { rawValue } from './raw-value.ts';
import { Registers, silences } from './registers.ts';

/** Models of one device: the chain of a device that has more does not end. */
const mostModels = 64;
/** The powers of ten that factors have. */
const mostExponent = 10;
/** A factor that the device does not have. */
const noExponent = -0x8000;

/** What a device says that it has. */
export interface Discovered {
  readonly groups: readonly GroupDraft[];
  /** What was passed over, and why. */
  readonly notes: readonly Sentence[];
}

/** A model at its place in the device. */
interface FoundModel {
  readonly id: number;
  /** The register of its number. */
  readonly start: number;
  /** With its number and its length. */
  readonly registers: number;
}

/**
 * Asks a device what it has, by reads of its driver alone: looks for the marker, follows the chain of models, and takes the points that the
 * device has. Rejects with DISCOVERY_FAILED when there is no marker or the chain does not end, and with the fault of a device that does not
 * answer at all.
 */
export async function discoverTags(
  profile: Profile,
  values: Parameters,
  read: TrialRead,
): Promise<Discovered> {
  const { discover } = profile;
  if (discover === undefined) return { groups: [], notes: [] };
  const registers = new Registers(discover, values, read);
  const notes: Sentence[] = [];
  const models = await chainOf(registers, discover, await startOf(registers, discover), notes);
  const groups: GroupDraft[] = [];
  let tags = 0;
  for (const found of models) {
    const model = discover.models.find(({ id }) => id === found.id);
    if (model === undefined) {
      notes.push(
        sentence`The model ${found.id} at register ${found.start} is not one that the profile knows; it is left out.`,
      );
      continue;
    }
    const group = await groupOf(registers, discover, values, model, found, notes);
    if (group.tags.length === 0) continue;
    tags += group.tags.length;
    if (tags > profileLimits.tags)
      throw failed(
        sentence`It has more than ${profileLimits.tags} tags, which is more than a node of a profile may have.`,
      );
    groups.push({ ...group, name: freeName(group.name, groups) });
  }
  return { groups, notes };
}

/** The register after the marker. */
async function startOf(registers: Registers, { starts, marker }: ProfileDiscovery): Promise<number> {
  let last: Fault | undefined;
  let isAnswering = false;
  for (const start of starts) {
    try {
      const found = await registers.read(start, marker.length);
      isAnswering = true;
      if (marker.every((register, at) => found.readUInt16BE(at * 2) === register))
        return start + marker.length;
    } catch (error) {
      if (!isFault(error)) throw error;
      isAnswering ||= !silences.has(error.code);
      last = error;
    }
  }
  if (!isAnswering && last !== undefined) throw last;
  throw failed(
    sentence`Its marker is at none of the registers ${starts.join(', ')}. Check the unit, and that the device has this interface and that it is switched on.`,
  );
}

/** The models of a device. A chain that breaks off ends there, with a note. */
async function chainOf(
  registers: Registers,
  { end }: ProfileDiscovery,
  first: number,
  notes: Sentence[],
): Promise<FoundModel[]> {
  const models: FoundModel[] = [];
  for (let start = first; ;) {
    let header: Buffer;
    try {
      if (start > 0xfffe) throw failed(sentence`Its chain of models leads beyond the last register.`);
      header = await registers.read(start, 2);
    } catch (error) {
      if (!isFault(error) || models.length === 0 || error.code === ErrorCode.DISCOVERY_FAILED) throw error;
      notes.push(
        sentence`The chain of models breaks off at register ${start}, where it has neither a model nor its end: ${reasonOf(error)}`,
      );
      return models;
    }
    const id = header.readUInt16BE(0);
    const registersOfModel = 2 + header.readUInt16BE(2);
    if (id === end) return models;
    if (models.length === mostModels)
      throw failed(sentence`Its chain of models does not end within ${mostModels} models.`);
    models.push({ id, start, registers: registersOfModel });
    start += registersOfModel;
  }
}

async function groupOf(
  registers: Registers,
  discover: ProfileDiscovery,
  values: Parameters,
  model: ProfileModel,
  { start, registers: length }: FoundModel,
  notes: Sentence[],
): Promise<GroupDraft> {
  const points = pointsOf(discover, model, length);
  const scales = new Set(
    points.flatMap(({ point }) => point.scale ?? []).filter((offset) => offset < length),
  );
  const wanted = [
    ...points.map(({ offset, registers: count }) => ({ offset, count })),
    ...Array.from(scales, (offset) => ({ offset, count: 1 })),
  ];
  const content = await registers.readAll(start, wanted);
  const refused: string[] = [];
  const tags = points.flatMap((point) => {
    const bytes = content.get(point.offset);
    if (bytes === undefined) {
      refused.push(point.name);
      return [];
    }
    const exponent = exponentOf(point, content);
    if (isAbsent(point, bytes) || exponent === undefined) return [];
    return [tagOfPoint(discover, values, start, point, exponent)];
  });
  if (refused.length > 0)
    notes.push(
      sentence`The device refuses to read ${refused.length} points of the model ${model.id}, which are left out: ${refused.slice(0, 5).join(', ')}${refused.length > 5 ? ' …' : ''}.`,
    );
  return { name: model.name, interval: model.interval, tags };
}

/** The power of ten of a point's factor; undefined when the device does not say it, so that its values mean nothing. */
function exponentOf(
  { point: { scale } }: PlacedPoint,
  content: ReadonlyMap<number, Buffer>,
): number | undefined {
  if (scale === undefined) return 0;
  const exponent = content.get(scale)?.readInt16BE(0) ?? noExponent;
  return Math.abs(exponent) <= mostExponent ? exponent : undefined;
}

function isAbsent({ type, absent }: PlacedPoint, bytes: Buffer): boolean {
  return absent !== undefined && String(rawValue(type, bytes)) === String(absent);
}

/** A model may be there twice: the second one is called so. */
function freeName(name: string, groups: readonly GroupDraft[]): string {
  for (let n = 1; ; n++) {
    const one = n === 1 ? name : `${name} ${n}`;
    if (groups.every((group) => group.name !== one)) return one;
  }
}

function failed(reason: Sentence): Refusal {
  return new Refusal(
    ErrorCode.DISCOVERY_FAILED,
    sentence`The device does not say what it has as the profile expects. ${reason}`,
  );
}
