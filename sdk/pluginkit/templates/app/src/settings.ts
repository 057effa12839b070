/** Generated from settings.schema.json by `pluginkit build`: change that. */

/**
 * Settings of a node, validated and with their defaults filled in.
 */
export interface Settings {
  /**
   * Where samples are posted.
   */
  url: string;
  /**
   * Milliseconds that the server has for an answer.
   */
  timeout: number;
}
