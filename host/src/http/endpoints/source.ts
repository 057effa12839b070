import { ErrorCode } from '@tagway/schemas';
import type { ConfigSource } from '../../core/ports/config-source.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';
import { openBodyTime, readBody } from '../body/body.ts';
import type { Context } from '../request.ts';
import { bare, Content, type Endpoints } from '../route.ts';

/** Bytes of the body of a webhook, which lists commits. */
const longest = 1 << 20;

/** The source that the configuration is pulled from. */
export function sourceEndpoints(source: ConfigSource | undefined): Endpoints {
  return {
    'GET /api/v2/source/patch': bare(
      {
        role: 'engineer',
        summary:
          'Gives what has to change in the files that the configuration is pulled from, so that they say what the gateway is: a patch that git apply takes, with comments kept and references in the place of secrets. It is empty where nothing is otherwise.',
        reply: { type: 'text/plain; charset=utf-8' },
        errors: ['CONFIG_NOT_COMPARED', 'BUSY'],
      },
      async () => {
        if (source === undefined)
          throw new Refusal(
            ErrorCode.CONFIG_NOT_COMPARED,
            sentence`The configuration of this gateway is pulled from no source.`,
          );
        return new Content('text/plain; charset=utf-8', await source.patch(), {
          'Content-Disposition': 'attachment; filename=gateway.patch',
          'Access-Control-Expose-Headers': 'Content-Disposition',
        });
      },
    ),

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
