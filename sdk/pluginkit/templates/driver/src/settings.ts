/** Generated from settings.schema.json by `pluginkit build`: change that. */

/**
 * Settings of a node, validated and with their defaults filled in.
 */
export interface Settings {
  /**
   * Name or address of the device.
   */
  host: string;
  /**
   * TCP port of the device.
   */
  port: number;
  /**
   * Milliseconds that the device has for an answer.
   */
  timeout: number;
}
