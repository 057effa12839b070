import { ErrorCode, type ProfileRecord, type ProfileValue } from '@tagway/schemas';
import { jsonOf } from '@tagway/sdk/internal';
import type { Gateway } from '../../core/gateway.ts';
import { changeText } from '../../core/profiles/change-sentences.ts';
import type { UpdatePlan } from '../../core/profiles/node-updates.ts';
import type { ShownValue } from '../../core/profiles/shown-values.ts';
import type { InstalledProfile, ProfileSummary } from '../../core/ports/profiles.ts';
import { choicesOf, settingsLeft } from '../../core/profiles/plugin-choice.ts';
import { summaryOf } from '../../core/profiles/profile-summary.ts';
import { tagOf } from '../../core/records/records.ts';
import { reasonOf, type Sentence } from '../../core/system/sentence.ts';
import { profileReply } from '../body/node-profile.ts';
import { checkParams } from '../body/params.ts';
import { reasonFor } from '../reason.ts';
import type { Context } from '../request.ts';
import { withBody, withQuery, type Endpoints } from '../route.ts';
import { warnOfLooks } from '../warnings.ts';
import { stepJson } from './nodes.ts';
import { tagErrors } from './shared-errors.ts';
import { tagReply } from './tags.ts';

const profileErrors = ['PROFILE_NOT_FOUND', 'PROFILE_PLUGIN_MISSING', 'PARAM_INVALID'] as const;

/** Errors of asking a device that no node has yet. */
const deviceErrors = [
  ...['NODE_SETTING_INVALID', 'NODE_NOT_READY', 'LIBRARY_OPEN_FAILED', 'PLUGIN_TYPE_UNSUPPORTED'],
  ...['DISCOVERY_FAILED', 'DISCONNECTED', 'NO_RESPONSE', 'READ_FAILED', 'DECODE_FAILED', 'BUSY'],
] as const;

/** Device profiles: what they are, and the nodes that are made of them. */
export function profileEndpoints(gateway: Gateway): Endpoints {
  const { profiles, nodeUpdates, nodes, plugins } = gateway;
  const pluginsOf = (ids: readonly string[]): ProfileRecord['plugins'] =>
    ids.map((id) => {
      const plugin = plugins.byId(id);
      return { id, installed: plugin !== undefined, ...(plugin && { name: plugin.name }) };
    });
  const recordOf = (summary: ProfileSummary): ProfileRecord => {
    const { plugins: ids, description, isSystem: system, origin, devices, ...rest } = summary;
    return {
      ...rest,
      devices: [...devices],
      description: description.en,
      ...(description.zh !== undefined && { description_zh: description.zh }),
      plugins: pluginsOf(ids),
      system,
      ...(origin && { package: origin.package, registry: origin.registry }),
    };
  };
  const details = (installed: InstalledProfile): object => {
    const { profile, readme, license, picture } = installed;
    return {
      profile: recordOf(summaryOf(profile, installed)),
      notes: profile.notes ?? [],
      parameters: profile.parameters ?? [],
      choices: choicesOf(profile, plugins).map((choice) => ({
        plugin: choice.plugin.name,
        id: choice.plugin.id,
        ...settingsLeft(choice),
      })),
      groups: profiles.groupsOf(profile).map((group) => ({
        name: group.name,
        interval: group.interval,
        tags: group.tags.map((tag) => tagReply(tagOf(0, tag))),
      })),
      ...(profile.discover && {
        models: profile.discover.models.map(({ id: model, name: title, tags, repeat }) => ({
          id: model,
          name: title,
          points: tags.length + (repeat?.tags.length ?? 0),
        })),
      }),
      ...(readme !== undefined && { readme }),
      ...(license !== undefined && { license }),
      ...(picture !== undefined && { picture }),
      nodes: profiles.nodesOf(profile.id).map((node) => node.name),
    };
  };
  return {
    'GET /api/v2/profile': withQuery(
      'ProfileQuery',
      {
        role: 'viewer',
        summary: 'Lists the device profiles, or shows one.',
        reply: ['ProfilesReply', 'ProfileReply'],
        errors: ['PROFILE_NOT_FOUND'],
      },
      async ({ profile }) =>
        profile === undefined
          ? { profiles: (await profiles.list()).map(recordOf) }
          : details(await profiles.get(profile)),
    ),

    'POST /api/v2/profile': withBody(
      'InstallProfileBody',
      {
        role: 'engineer',
        summary:
          'Installs a device profile, or another version of one, from its archive or its profile.json. Nodes that were made of it stay as they are.',
        audit: () => 'installed a device profile from a file',
        reply: 'InstallProfileReply',
        errors: ['PROFILE_INVALID', 'LIBRARY_ADD_FAILED', 'LIBRARY_NAME_CONFLICT'],
      },
      async ({ file, signature }) => {
        const content = Buffer.from(file, 'base64');
        const { id, version } = await profiles.install({ content, signature });
        return { error: ErrorCode.SUCCESS, profile: id, version };
      },
    ),

    'DELETE /api/v2/profile': withBody(
      'DeleteProfileBody',
      {
        role: 'engineer',
        summary: 'Deletes a device profile that was installed. Nodes that were made of it stay as they are.',
        audit: ({ profile }) => `deleted the device profile "${profile}"`,
        errors: ['PROFILE_NOT_FOUND', 'PROFILE_SYSTEM'],
      },
      ({ profile }) => profiles.delete(profile),
    ),

    'POST /api/v2/profile/check': withBody(
      'CheckProfileBody',
      {
        role: 'engineer',
        summary:
          'Says what is wrong with a profile.json: addresses that its plugins refuse, settings and units that nobody knows; and how many requests its groups take. Nothing is stored.',
        audit: 'nothing',
        reply: 'CheckProfileReply',
        errors: ['PROFILE_INVALID', 'LIBRARY_OPEN_FAILED'],
      },
      async ({ profile }, ctx) => {
        const { problems, plugins: found } = await profiles.check(profile);
        return {
          error: ErrorCode.SUCCESS,
          problems: problems.map(({ error, message }) => ({ error, ...reasonFor(ctx, message) })),
          plugins: found.map(({ plugin: id, name: plugin, groups }) => ({ id, plugin, groups })),
        };
      },
    ),

    'POST /api/v2/profile/test': withBody(
      'TestProfileBody',
      {
        role: 'engineer',
        summary:
          'Asks a device with a profile that no node has yet: step by step up to the first that fails, and the values of the first tags. Nothing remains of it.',
        audit: 'nothing',
        reply: 'TestProfileReply',
        errors: [...profileErrors, ...deviceErrors],
      },
      async ({ profile, plugin, params, parameters }, ctx) => {
        checkParams(params);
        const trial = await profiles.test({ profile, plugin, params, parameters });
        const groups = trial.groups.map(({ name, interval, tags }) => ({
          name,
          interval,
          tags: tags.length,
        }));
        const steps = trial.steps.map((step) => stepJson(ctx, step, 3)).join(',');
        const values = trial.values.map((value) => valueJson(ctx, value)).join(',');
        const notes = JSON.stringify(notesFor(ctx, trial.notes));
        return Buffer.from(
          `{"steps":[${steps}],"groups":${JSON.stringify(groups)},"values":[${values}],"notes":${notes}}`,
        );
      },
    ),

    'POST /api/v2/profile/node': withBody(
      'ProfileNodeBody',
      {
        role: 'engineer',
        summary:
          'Makes a driver node of a device profile, sets it up and starts it. A device that says itself what it has is asked first.',
        audit: ({ profile, node }) => `made the node "${node}" of the device profile "${profile}"`,
        settings: ({ node }) => {
          const { params, plugin } = nodes.get(node);
          return { values: params ?? {}, plugin };
        },
        reply: 'ProfileNotesReply',
        errors: [
          ...profileErrors,
          ...deviceErrors,
          'NODE_EXISTS',
          'NODE_NAME_EMPTY',
          'NODE_NAME_TOO_LONG',
          'LICENSE_DISABLED',
          'LICENSE_MAX_NODES',
          'LICENSE_MAX_TAGS',
          'GROUP_PARAM_INVALID',
          ...tagErrors,
        ],
      },
      async ({ profile, node, plugin, params, parameters }, ctx) => {
        checkParams(params);
        const notes = await profiles.makeNode(node, { profile, plugin, params, parameters });
        await warnOfLooks(ctx, nodes, [node]);
        return { error: ErrorCode.SUCCESS, notes: notesFor(ctx, notes) };
      },
    ),

    'GET /api/v2/profile/node': withQuery(
      'NodeProfileQuery',
      {
        role: 'viewer',
        summary: 'Shows what a node was given by its device profile, and which version of that is installed.',
        reply: 'NodeProfileReply',
        errors: ['NODE_NOT_FOUND'],
      },
      async ({ node: name }) => {
        const { profile } = nodes.get(name);
        const newest = profile && (await profiles.list()).find(({ id }) => id === profile.id)?.version;
        return {
          node: name,
          ...(profile && { profile: profileReply(profile) }),
          ...(newest !== undefined && { newest }),
        };
      },
    ),

    'POST /api/v2/profile/plan': withBody(
      'ProfilePlanBody',
      {
        role: 'engineer',
        summary:
          'Says what POST /api/v2/profile/update would change of a node. A device that says itself what it has is asked again. Nothing is changed.',
        audit: 'nothing',
        reply: 'ProfilePlanReply',
        errors: [
          'NODE_NOT_FOUND',
          'NODE_NAME_TOO_LONG',
          'NODE_WITHOUT_PROFILE',
          ...profileErrors,
          ...deviceErrors,
          ...tagErrors,
        ],
      },
      async ({ node }, ctx) => planReply(ctx, await nodeUpdates.plan(node)),
    ),

    'POST /api/v2/profile/update': withBody(
      'ProfileUpdateBody',
      {
        role: 'engineer',
        summary:
          'Brings a node to what its device profile gives now. What people have changed stays; where the profile has changed it too, and where a tag is to go, it is decided about. A snapshot is made before.',
        audit: ({ node }) => `updated the node "${node}" by its device profile`,
        reply: 'ProfilePlanReply',
        errors: [
          'NODE_NOT_FOUND',
          'NODE_NAME_TOO_LONG',
          'NODE_WITHOUT_PROFILE',
          'PROFILE_CONFLICTS',
          'LICENSE_MAX_TAGS',
          'GROUP_SUBSCRIBED',
          ...profileErrors,
          ...deviceErrors,
          ...tagErrors,
        ],
      },
      async ({ node, decisions = [] }, ctx) => planReply(ctx, await nodeUpdates.apply(node, decisions)),
    ),
  };
}

const notesFor = (ctx: Context, notes: readonly Sentence[]): object[] =>
  notes.map((note) => reasonFor(ctx, note));

function planReply(ctx: Context, { from, to, changes, notes, snapshot }: UpdatePlan): object {
  return {
    error: ErrorCode.SUCCESS,
    from,
    to,
    changes: changes.map((change) => ({ ...change, ...reasonFor(ctx, changeText(change)) })),
    notes: notesFor(ctx, notes),
    ...(snapshot !== undefined && { snapshot }),
  };
}

/** As text, because integers of 64 bits are no numbers of JavaScript. */
function valueJson(ctx: Context, { group, tag, value, fault }: ShownValue): string {
  const shown: ProfileValue = {
    group,
    tag: tag.name,
    address: tag.address,
    ...(tag.unit !== undefined && { unit: tag.unit }),
    ...(fault && { error: fault.code, ...reasonFor(ctx, reasonOf(fault)) }),
  };
  const text = JSON.stringify(shown);
  return value === undefined ? text : `${text.slice(0, -1)},"value":${jsonOf(value, tag.type)}}`;
}
