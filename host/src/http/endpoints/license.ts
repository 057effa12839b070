import { ErrorCode } from '@tagway/schemas';
import type { Gateway } from '../../core/gateway.ts';
import { isFault } from '@tagway/sdk';
import { bare, withBody, type Endpoints, type Result } from '../route.ts';
import { reasonOf } from '../../core/system/sentence.ts';

/** Section 4.8: the license. */
export function licenseEndpoints({ license }: Gateway): Endpoints {
  return {
    'POST /api/v2/license': withBody(
      'LicenseBody',
      {
        role: 'admin',
        summary: 'Puts a license in force.',
        audit: () => 'put another license in force',
        errors: ['LICENSE_INVALID', 'LICENSE_EXPIRED', 'LICENSE_TOKEN_MISMATCH'],
      },
      (body) => license.replace(body.license),
    ),

    'GET /api/v2/license': bare(
      {
        role: 'viewer',
        summary: 'Shows the license, or for which machine one is needed.',
        reply: ['LicenseReply', 'NoLicenseReply'],
        errors: ['LICENSE_NOT_FOUND'],
      },
      (): Result => {
        try {
          const terms = license.describe();
          return {
            error: 0,
            license_type: terms.type,
            valid: terms.isValid,
            valid_since: timeOf(terms.since),
            valid_until: timeOf(terms.until),
            max_nodes: terms.maxNodes,
            max_node_tags: terms.maxNodeTags,
            used_nodes: terms.usedNodes,
            used_tags: terms.usedTags,
            enabled_plugins: terms.enabledPlugins,
            hardware_token: license.hardwareToken,
            object: terms.object,
            email_address: terms.email,
          };
        } catch (error) {
          // The issuer of a license needs this token of the machine.
          if (isFault(error) && error.code === ErrorCode.LICENSE_NOT_FOUND)
            return { error: error.code, message: reasonOf(error), hardware_token: license.hardwareToken };
          throw error;
        }
      },
    ),

    'GET /api/v2/hwtoken': bare(
      {
        role: 'viewer',
        summary: 'Says for which machine a license is to be made out.',
        reply: 'HardwareTokenReply',
      },
      () => ({ token: license.hardwareToken }),
    ),
  };
}

/** `YYYY-MM-DD HH:MM:SS`, UTC. */
function timeOf(date: Date): string {
  return date.toISOString().slice(0, 19).replace('T', ' ');
}
