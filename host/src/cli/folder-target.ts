import { hash } from 'node:crypto';
import {
  type ConfigBody,
  type Dialect,
  dialects,
  ErrorCode,
  NodeType,
  type PlanConfigReply,
} from '@tagway/schemas';
import { stringifyJson } from '@tagway/sdk/json';
import type { Config, GatewayAccess } from '../config/config.ts';
import type { Gateway } from '../core/gateway.ts';
import type { PluginFacts } from '../folder/resolve.ts';
import { alignConfig, type ImportNotes } from '../http/transfer/config-import.ts';
import { type Picture, pictureOf, presentPicture } from '../http/transfer/picture.ts';
import { planAlignment, revisionOfConfig } from '../http/transfer/transfer.ts';
import type { ApiClient } from './api-client.ts';
import { CommandError, withGateway } from './with-gateway.ts';

/** What would change, and what is wrong. */
export interface Plan extends Omit<PlanConfigReply, 'error' | 'problems'> {
  readonly revision: string;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** The gateway that a folder is of: one that runs, or this process on the data folder of one that does not. */
export interface FolderTarget {
  read(): Promise<Picture>;
  plan(body: ConfigBody): Promise<Plan>;
  /** Applies a body while the configuration is the one of the revision. */
  apply(body: ConfigBody, revision: string): Promise<void>;
}

/** Does work on the gateway of the options. */
export function withTarget<T>(
  config: Config,
  access: GatewayAccess,
  work: (target: FolderTarget) => Promise<T>,
): Promise<T> {
  return withGateway({ ...config, safe: true }, access, {
    local: (gateway) => work(localTarget(gateway, dialects[config.compat])),
    remote: (api) => work(remoteTarget(api)),
  });
}

/** A gateway in this process. */
export function localTarget(gateway: Gateway, dialect: Dialect): FolderTarget {
  /** The folder belongs to this process alone, so that it needs no key that others do not know. */
  const revision = (): string => {
    const { exact } = revisionOfConfig(gateway, dialect)();
    return `"${hash('sha256', stringifyJson(exact), 'base64url').slice(0, 22)}"`;
  };
  return {
    read() {
      return Promise.resolve(presentPicture(gateway, dialect));
    },
    async plan(body) {
      const warnings: string[] = [];
      const notes: Pick<ImportNotes, 'unknown'> = { unknown: (sentence) => void warnings.push(sentence) };
      const { faults, ...plan } = await planAlignment(gateway, dialect, body, notes);
      const problems = faults.map(({ message }) => message);
      return { ...plan, revision: revision(), problems, warnings };
    },
    async apply(body, asked) {
      if (asked !== revision())
        throw new CommandError(
          'Somebody else has changed the configuration since the plan was made, so nothing was changed. Make a new plan.',
        );
      await alignConfig(gateway, body, { unknown: () => undefined });
      gateway.audit.add({
        time: Date.now(),
        user: '',
        kind: 'folder',
        error: ErrorCode.SUCCESS,
        text: `applied a configuration folder of ${body.nodes.length} nodes`,
      });
    },
  };
}

function remoteTarget(api: ApiClient): FolderTarget {
  return {
    async read() {
      const config = (await api.call('GET', 'global/config')) as unknown as ConfigBody;
      const { nodes } = await api.call('GET', `node?type=${NodeType.APP}`);
      const { plugins } = await api.call('GET', 'plugin');
      const facts: PluginFacts[] = [];
      for (const { name, schema, node_type: type } of plugins as readonly PluginRecord[])
        facts.push({
          id: schema,
          name,
          isApp: type === NodeType.APP,
          settingsSchema: await api.call('GET', `schema/settings?plugin=${encodeURIComponent(name)}`),
        });
      const apps = (nodes as readonly { readonly name: string }[]).map(({ name }) => name);
      return pictureOf(config, apps, new Map(facts.map((plugin) => [plugin.name, plugin])));
    },
    async plan(body) {
      const { body: reply, revision } = await api.callAt('POST', 'global/config/apply/plan', body);
      const {
        error: _error,
        problems,
        warnings = [],
        ...plan
      } = reply as unknown as PlanConfigReply & {
        readonly warnings?: readonly string[];
      };
      const sentences = problems.map(({ message }) => message);
      return { ...plan, revision: revision ?? '', problems: sentences, warnings };
    },
    async apply(body, revision) {
      await api.callAt('POST', 'global/config/apply', body, revision);
    },
  };
}

interface PluginRecord {
  readonly name: string;
  readonly schema: string;
  readonly node_type: number;
}
