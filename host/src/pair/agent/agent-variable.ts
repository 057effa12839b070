/** The variable by which a host knows that it has an agent: the path of the deadline file. */
export const agentVariable = 'TAGWAY_PAIR_AGENT';

/** The path of the deadline file; undefined without an agent. The variable is deleted, because it is no option of the gateway. */
export function takeDeadlineFile(env: NodeJS.ProcessEnv): string | undefined {
  const { [agentVariable]: file } = env;
  delete env['TAGWAY_PAIR_AGENT'];
  return file;
}
