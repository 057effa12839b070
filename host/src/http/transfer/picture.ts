import { type ConfigBody, type Dialect, NodeType } from '@tagway/schemas';
import type { Gateway } from '../../core/gateway.ts';
import { routesOf } from './import-filter.ts';
import { presentConfig } from './transfer.ts';

/** What is known of a plugin where a configuration is written as files. */
interface Facts {
  readonly id: string;
  readonly name: string;
  readonly isApp: boolean;
  readonly settingsSchema: object;
}

/** What a gateway is, as files are made of it. */
export interface Picture {
  /** With masks for secrets, and subscriptions one by one. */
  readonly config: ConfigBody;
  /** The names of the nodes that are apps. */
  readonly apps: ReadonlySet<string>;
  readonly plugins: ReadonlyMap<string, Facts>;
}

export function pictureOf(
  config: ConfigBody,
  apps: readonly string[],
  plugins: ReadonlyMap<string, Facts>,
): Picture {
  const subscriptions = routesOf(config).map(({ params, ...route }) => ({
    ...route,
    ...(params && { params }),
  }));
  return { config: { ...config, subscriptions }, apps: new Set(apps), plugins };
}

/** The picture of a gateway in this process. */
export function presentPicture(gateway: Gateway, dialect: Dialect): Picture {
  const apps = gateway.nodes.list(NodeType.APP).map(({ name }) => name);
  return pictureOf(presentConfig(gateway, dialect, false), apps, pluginFacts(gateway));
}

export function pluginFacts({ plugins }: Pick<Gateway, 'plugins'>): Picture['plugins'] {
  return new Map(
    plugins
      .all()
      .map(({ id, name, nodeType, settingsSchema }) => [
        name,
        { id, name, isApp: nodeType === NodeType.APP, settingsSchema },
      ]),
  );
}
