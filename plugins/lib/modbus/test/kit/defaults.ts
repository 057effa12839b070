/** What the settings above the link are when they are left out. */
export const defaults = {
  interval: 20,
  max_gap: 0,
  max_retries: 0,
  retry_interval: 0,
  device_degrade: 0,
  endianess: 1,
  endianess_64: 1,
  address_base: 1,
};
