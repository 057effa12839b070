import { ErrorCode, type Registries, type TrustRenewalReply } from '@tagway/schemas';
import type { JobAsker } from '../../core/directory/package-jobs.ts';
import type { TrustRenewal } from '../../core/directory/trust-renewal.ts';
import type { Gateway } from '../../core/gateway.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';
import { forReader, reasonFor } from '../reason.ts';
import { addressOf, askingOf, knownCallerOf, whoOf, type Context } from '../request.ts';
import { bare, withBody, withQuery, type Endpoints } from '../route.ts';

const defaultPageSize = 20;
const mostPageSize = 50;

/** Errors of a question to a registry. */
export const registryErrors = [
  'REGISTRY_UNREACHABLE',
  'REGISTRY_LOGIN_REFUSED',
  'REGISTRY_REPLY_INVALID',
  'ADDRESS_REFUSED',
  'BUSY',
] as const;

/** Too much is asked at the same time, and nothing has failed. */
export const statuses = { BUSY: 429 } as const;

/** Plugins by name: the registries that are their directory, and what is found and installed there. */
export function directoryEndpoints({ directory, audit }: Gateway): Endpoints {
  const { settings, jobs, trustRenewal } = directory;
  const askerOf = (ctx: Context, endpoint: string): JobAsker => {
    const caller = knownCallerOf(ctx);
    const entry = {
      user: caller?.name ?? '',
      kind: caller?.kind ?? ('nobody' as const),
      issuer: caller?.issuer,
      from: addressOf(ctx),
      endpoint,
    };
    return {
      who: whoOf(ctx),
      audit: (text, error) => audit.add({ time: Date.now(), ...entry, text, error }),
    };
  };
  return {
    'GET /api/v2/directory/search': withQuery(
      'DirectorySearchQuery',
      {
        role: 'engineer',
        summary:
          'Searches the registries for plugins. Nothing is asked of a registry that is not marked for searches.',
        reply: 'DirectorySearchReply',
        errors: ['REGISTRY_WITHOUT_SEARCH', ...registryErrors],
        statuses,
      },
      async ({ text = '', page, page_size, prerelease }, ctx) => {
        const pageSize = Number(page_size ?? defaultPageSize);
        if (pageSize < 1 || pageSize > mostPageSize)
          throw new Refusal(ErrorCode.PARAM_INVALID, sentence`A page has 1 to ${mostPageSize} packages.`);
        const reply = await directory.search({
          text: text.trim(),
          page: Number(page ?? 0),
          pageSize,
          prerelease: prerelease === 'true',
        });
        return forReader(ctx, reply);
      },
    ),

    'GET /api/v2/directory/package': withQuery(
      'DirectoryPackageQuery',
      {
        role: 'engineer',
        summary: 'Shows what the registry of a package knows of it, and what of that fits this gateway.',
        reply: 'PackageReply',
        errors: ['PACKAGE_NOT_FOUND', ...registryErrors],
        statuses,
      },
      async ({ package: name, version, prerelease }, ctx) =>
        forReader(ctx, await directory.package(name, { version, prerelease: prerelease === 'true' })),
    ),

    'GET /api/v2/directory/outdated': withQuery(
      'OutdatedQuery',
      {
        role: 'engineer',
        summary: 'Lists the plugins and device profiles from registries that have a newer version there.',
        reply: 'OutdatedReply',
        errors: registryErrors,
        statuses,
      },
      async ({ look, prerelease }, ctx) =>
        forReader(
          ctx,
          look === 'true'
            ? await directory.look({ prerelease: prerelease === 'true' })
            : await directory.outdated(),
        ),
    ),

    'POST /api/v2/directory/job': withBody(
      'DirectoryJobBody',
      {
        role: 'engineer',
        summary: 'Begins to fetch a package, to look at it or to install it, while everything else goes on.',
        audit: ({ action, package: name, plugin, version }) =>
          `began to ${verbs[action]} the ${plugin === undefined ? `package "${name ?? ''}"` : `plugin "${plugin}"`}` +
          (version === undefined ? '' : ` in version ${version}`),
        isLogged: false,
        reply: 'DirectoryJobReply',
        errors: ['PARAM_INVALID', 'PLUGIN_NOT_FOUND', 'BUSY'],
        statuses,
      },
      (body, ctx) => ({ job: jobs.begin(body, askerOf(ctx, 'POST /api/v2/directory/job')) }),
    ),

    'GET /api/v2/directory/job': withQuery(
      'DirectoryJobQuery',
      {
        role: 'engineer',
        summary:
          'Shows how far a job is, and what came of it. The last fifty that are over can be asked for.',
        reply: 'DirectoryJob',
        errors: ['JOB_NOT_FOUND'],
      },
      ({ job }, ctx) => {
        const { message, ...shown } = jobs.job(job);
        return { ...forReader(ctx, shown), ...(message !== undefined && reasonFor(ctx, message)) };
      },
    ),

    'DELETE /api/v2/directory/job': withBody(
      'DirectoryJobQuery',
      {
        role: 'engineer',
        summary: 'Cancels a job that does not install yet.',
        audit: ({ job }) => `cancelled the job ${job}`,
        isLogged: false,
        errors: ['JOB_NOT_FOUND', 'JOB_NOT_CANCELLABLE'],
      },
      async ({ job }) => {
        await jobs.cancel(job);
      },
    ),

    'GET /api/v2/directory/registries': bare(
      {
        role: 'admin',
        summary: 'Shows the registries that are the directory of plugins, without their secrets.',
        reply: 'RegistriesReply',
        errors: ['PARAM_INVALID'],
      },
      async (ctx) => ({
        registries: settings.shown(),
        look_every: settings.lookEvery,
        trust_renewal: await renewalShown(ctx, trustRenewal),
        file: await settings.others(),
      }),
    ),

    'PUT /api/v2/directory/registries': withBody(
      'Registries',
      {
        role: 'admin',
        summary:
          'Sets the registries that are the directory of plugins. A secret that is the mask keeps what is stored.',
        audit: ({ registries, look_every: hours, trust_renewal: trust }) =>
          `set the registries of plugins: ${namesOf(registries)}` +
          (hours === undefined
            ? ''
            : `; looks for newer versions ${hours === 0 ? 'never' : `every ${hours} hours`}`) +
          (trust === undefined ? '' : `; renews keys and trust root ${trust.enabled ? 'daily' : 'never'}`),
        errors: ['PARAM_INVALID'],
      },
      async (body, ctx) => {
        await settings.set(askingOf(ctx), body);
      },
    ),
  };
}

async function renewalShown(ctx: Context, renewal: TrustRenewal): Promise<TrustRenewalReply> {
  const time = await renewal.time();
  const { setting, problem } = renewal;
  return {
    ...setting,
    ...(time !== undefined && { time }),
    ...(problem !== undefined && reasonFor(ctx, problem)),
  };
}

const verbs = { look: 'look at', install: 'install', update: 'update' } as const;

/** Without the user and the password that an address may have. */
function namesOf(registries: Registries['registries']): string {
  const names = registries.map(({ scope = '', url }) => {
    const place = URL.canParse(url) ? new URL(url) : undefined;
    return `${scope === '' ? '' : `${scope} at `}${place === undefined ? 'no address' : `${place.origin}${place.pathname}`}`;
  });
  return names.length === 0 ? 'none' : names.join(', ');
}
