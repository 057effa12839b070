import { ErrorCode } from '@tagway/schemas';
import type { ConfigSource } from '../../core/ports/config-source.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';
import { openBodyTime, readBody } from '../body/body.ts';
import type { Context } from '../request.ts';
import type { Endpoints } from '../route.ts';

/** Bytes of the body of a webhook, which lists commits. */
const longest = 1 << 20;

/** The source that the configuration is pulled from. */
export function sourceEndpoints(source: ConfigSource | undefined): Endpoints {
  return {
    'POST /api/v2/source/webhook': {
      summary:
        'Has the gateway look at the source of its configuration at once. Forges call it after a push: it takes the signature of GitHub and Gitea (X-Hub-Signature-256, HMAC of the body with SHA-256) or the token of GitLab (X-Gitlab-Token).',
      open: true,
      errors: ['WEBHOOK_REFUSED', 'BODY_INVALID', 'BODY_TOO_BIG', 'BUSY'],
      handle: async (ctx) => {
        const signature = headerOf(ctx, 'X-Hub-Signature-256');
        const token = headerOf(ctx, 'X-Gitlab-Token');
        // Nothing is read for those who know no secret.
        if (source === undefined || (signature === undefined && token === undefined))
          throw new Refusal(
            ErrorCode.WEBHOOK_REFUSED,
            sentence`The call has neither X-Hub-Signature-256 nor X-Gitlab-Token, or this gateway has no source.`,
          );
        const body =
          signature === undefined
            ? Buffer.alloc(0)
            : await readBody(ctx.req, ctx.res, { bytes: longest, within: openBodyTime });
        await source.called({ signature, token, body });
      },
    },
  };
}

function headerOf(ctx: Context, name: string): string | undefined {
  const value = ctx.get(name);
  return value === '' ? undefined : value;
}
