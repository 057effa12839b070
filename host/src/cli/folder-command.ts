import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type ConfigBody, dialects } from '@tagway/schemas';
import type { Config, FolderCommand } from '../config/config.ts';
import { schemaFolder } from '../folder/editor-schemas.ts';
import { FolderError, FolderFiles } from '../folder/folder-files.ts';
import { changesIn, differenceLines, sumOf } from '../folder/plan-words.ts';
import { type FolderContent, readFolder } from '../folder/read-folder.ts';
import { Variables } from '../folder/variables.ts';
import { ReferenceSources } from '../folder/references.ts';
import { bodyOf } from '../folder/whole-body.ts';
import { folderChanges, type Written } from '../folder/write-folder.ts';
import { type FolderTarget, localTarget, type Plan, withTarget } from './folder-target.ts';
import { CommandError, withNewGateway } from './with-gateway.ts';

/** What is printed, and with which code the command ends. */
export interface Done {
  readonly text: string;
  readonly exitCode: number;
}

/** The code of a command that finds that something would change. */
const different = 2;

/** Problems that are said one by one. */
const mostProblems = 100;

/** Performs `tagway config`. Rejects with `FolderError`, `CommandError`, `ConfigError` or `ApiError`. */
export async function runFolderCommand(config: Config, command: FolderCommand): Promise<Done> {
  const { action, folder } = command;
  if (action === 'check') return check(command);
  if (action === 'export') await mkdir(folder, { recursive: true });
  const work = { export: exportTo, diff, plan, apply }[action];
  return withTarget(config, command, (target) => work(target, command));
}

async function check({ folder, secrets, vars }: FolderCommand): Promise<Done> {
  const files = await FolderFiles.open(folder);
  const gateways = vars === undefined ? await Variables.names(files) : [vars];
  return withNewGateway(async (gateway) => {
    const target = localTarget(gateway, dialects.specification);
    if (gateways.length === 0) return checkOne(target, await readFolder(files), files, { folder, secrets });
    const lines: string[] = [];
    let exitCode = 0;
    for (const name of gateways) {
      const content = await readFolder(files, name);
      const done = await checkOne(target, content, files, { folder, secrets });
      exitCode = Math.max(exitCode, done.exitCode);
      lines.push(`With the variables of "${name}":`, ...done.text.split('\n').filter((line) => line !== ''));
    }
    return { text: linesOf(lines), exitCode };
  });
}

async function checkOne(
  target: FolderTarget,
  content: FolderContent,
  files: FolderFiles,
  { folder, secrets }: Pick<FolderCommand, 'folder' | 'secrets'>,
): Promise<Done> {
  const { plugins } = await target.read();
  const sources = sourcesOf(files, secrets);
  const { body, problems, unseen } = await bodyOf(content, plugins, sources, undefined);
  const plan = problems.length > 0 ? { problems, warnings: [] } : await target.plan(body);
  const { wrong, notes } = withoutUnseen(plan.problems, unseen);
  if (wrong.length > 0) return { text: linesOf([...shown(wrong), ...notes, ...plan.warnings]), exitCode: 1 };
  const { nodes, groups, tags } = body;
  const count = tags.reduce((sum, one) => sum + one.tags.length, 0);
  const end = `Nothing is wrong with ${folder}: nodes: ${nodes.length}, groups: ${groups.length}, tags: ${count}.`;
  return { text: linesOf([...notes, ...plan.warnings, end]), exitCode: 0 };
}

/** What is wrong with a setting whose secret is not there may be right with the secret. */
function withoutUnseen(
  problems: readonly string[],
  unseen: ReadonlyMap<string, readonly string[]>,
): { readonly wrong: readonly string[]; readonly notes: readonly string[] } {
  const isOfUnseen = (problem: string): boolean =>
    [...unseen].some(([node, settings]) => {
      const beginning = `Settings of the node "${node}": `;
      const words = problem.slice(beginning.length).split(/[^A-Za-z0-9_-]+/);
      return problem.startsWith(beginning) && settings.some((setting) => words.includes(setting));
    });
  return {
    wrong: problems.filter((problem) => !isOfUnseen(problem)),
    notes: problems
      .filter(isOfUnseen)
      .map((problem) => `${problem} It may be right with its secret, which is not there.`),
  };
}

/** A folder, and what a gateway would make of it. */
interface Planned {
  readonly plan: Plan;
  /** Undefined when something is wrong. */
  readonly body: ConfigBody | undefined;
}

async function planOf(target: FolderTarget, { folder, secrets, vars }: FolderCommand): Promise<Planned> {
  const files = await FolderFiles.open(folder);
  const content = await readFolder(files, vars);
  const { config, plugins } = await target.read();
  const stored = new Map(config.settings.map(({ node, params }) => [node, params]));
  const sources = sourcesOf(files, secrets);
  const { body, problems } = await bodyOf(content, plugins, sources, stored);
  if (problems.length > 0) return { plan: { ...nothing, problems }, body: undefined };
  const plan = await target.plan(body);
  return { plan, body: plan.problems.length > 0 ? undefined : body };
}

const none = { add: 0, update: 0, unchanged: 0, remove: 0 };
const nothing: Plan = {
  nodes: none,
  groups: none,
  tags: none,
  subscriptions: none,
  templates: none,
  differences: [],
  revision: '',
  problems: [],
  warnings: [],
};

async function plan(target: FolderTarget, command: FolderCommand): Promise<Done> {
  const { plan: found, body } = await planOf(target, command);
  const changes = changesIn(found);
  const exitCode = body === undefined ? 1 : changes > 0 ? different : 0;
  if (command.json) return { text: `${JSON.stringify(found, undefined, 2)}\n`, exitCode };
  if (body === undefined) return { text: linesOf(shown(found.problems)), exitCode };
  const end = changes > 0 ? `It would change ${sumOf(found)}.` : 'Nothing would change.';
  return { text: linesOf([...found.warnings, ...differenceLines(found), end]), exitCode };
}

async function apply(target: FolderTarget, command: FolderCommand): Promise<Done> {
  const { folder, revision } = command;
  const { plan: found, body } = await planOf(target, command);
  if (body === undefined)
    throw new CommandError([...shown(found.problems), 'Nothing was changed.'].join('\n'));
  const isNothing = changesIn(found) === 0;
  if (!isNothing || revision !== undefined) await target.apply(body, revision ?? found.revision);
  const end = isNothing
    ? `The gateway is as ${folder} says already.`
    : `${folder} is applied. ${sumOf(found)}.`;
  return { text: linesOf([...found.warnings, ...differenceLines(found), end]), exitCode: 0 };
}

async function exportTo(target: FolderTarget, command: FolderCommand): Promise<Done> {
  const { folder } = command;
  const { files, changes, looped } = await changesFor(target, command);
  if (looped.length > 0)
    throw new FolderError(
      [
        ...shown(looped),
        'Nothing was written. Change the loop or its variables by hand, or the gateway.',
      ].join('\n'),
    );
  const lines: string[] = [];
  for (const [path, content] of changes) {
    if (content === undefined) await files.delete(path);
    else await files.write(path, content);
    lines.push(`${path} is ${content === undefined ? 'deleted' : 'written'}.`);
  }
  const end =
    changes.size === 0
      ? `${folder} says already what the gateway is.`
      : `${folder} says what the gateway is.`;
  return { text: linesOf([...lines, end]), exitCode: 0 };
}

async function diff(target: FolderTarget, command: FolderCommand): Promise<Done> {
  const { createTwoFilesPatch } = await import('diff');
  const { files, changes, looped } = await changesFor(target, command);
  const patches: string[] = [];
  for (const [path, content] of changes) {
    if (path.startsWith(`${schemaFolder}/`)) continue;
    const [before = '', now = ''] = [await files.read(path), content].map(
      (one) => one && Buffer.from(one).toString(),
    );
    const patch = createTwoFilesPatch(path, path, before, now, 'folder', 'gateway', {
      maxEditLength: mostEdits,
    });
    patches.push(patch ?? `${path} differs in more than ${mostEdits} lines.\n`);
  }
  const text = `${patches.join('')}${linesOf(shown(looped))}`;
  return { text, exitCode: text === '' ? 0 : different };
}

/** Lines by which files may differ so that the differences are shown. */
const mostEdits = 4000;

async function changesFor(
  target: FolderTarget,
  { folder, secrets, vars }: FolderCommand,
): Promise<Written & { readonly files: FolderFiles }> {
  const files = await FolderFiles.open(folder);
  const present =
    (await files.read('gateway.yaml')) === undefined ? undefined : await readFolder(files, vars);
  if (present !== undefined && present.problems.length > 0)
    throw new FolderError(
      [
        ...shown(present.problems),
        'Nothing was written. Correct this first, or export into another folder.',
      ].join('\n'),
    );
  const sources = sourcesOf(files, secrets);
  const { changes, looped } = await folderChanges({ ...(await target.read()), files, present, sources });
  return { files, changes, looped };
}

function sourcesOf(files: FolderFiles, secrets: string | undefined): ReferenceSources {
  return new ReferenceSources(files, secrets && resolve(secrets), process.env);
}

function shown(problems: readonly string[]): string[] {
  const rest = problems.length - mostProblems;
  return [...problems.slice(0, mostProblems), ...(rest > 0 ? [`… and ${rest} more.`] : [])];
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
