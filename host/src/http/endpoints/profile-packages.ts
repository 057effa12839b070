import { ErrorCode } from '@tagway/schemas';
import type { Gateway } from '../../core/gateway.ts';
import { withBody, withQuery, type Endpoints } from '../route.ts';
import { registryErrors, statuses } from './directory.ts';

/** Device profiles in the registries of plugins. */
export function profilePackageEndpoints({ registryProfiles }: Gateway): Endpoints {
  return {
    'GET /api/v2/profile/search': withQuery(
      'ProfileSearchQuery',
      {
        role: 'engineer',
        summary: 'Searches the registries of plugins for device profiles.',
        reply: 'ProfileSearchReply',
        errors: registryErrors,
        statuses,
      },
      async ({ text = '' }) => ({ packages: await registryProfiles.search(text.trim()) }),
    ),

    'POST /api/v2/profile/package': withBody(
      'ProfilePackageBody',
      {
        role: 'engineer',
        summary:
          'Installs a device profile from its registry, or a later version of it. Plugins that it needs are named and not installed.',
        audit: ({ package: name }) => `installed the device profile of the package "${name}"`,
        reply: 'ProfilePackageReply',
        errors: [
          'PARAM_INVALID',
          'PROFILE_INVALID',
          'LIBRARY_ADD_FAILED',
          'PACKAGE_NOT_FOUND',
          'PACKAGE_UNTRUSTED',
          'PACKAGE_CAUTIONS',
          'PLUGIN_FROM_ELSEWHERE',
          ...registryErrors,
        ],
        statuses,
      },
      async ({ package: name, version, replaces, accepts = [] }) => {
        const acceptsPublisher = accepts.includes('publisher');
        const wish = { package: name, version, replaces, acceptsPublisher };
        const { id, version: installed, missing } = await registryProfiles.install(wish);
        return { error: ErrorCode.SUCCESS, profile: id, version: installed, missing };
      },
    ),
  };
}
