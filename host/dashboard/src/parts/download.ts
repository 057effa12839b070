/** Downloads a file in the browser. */
export function download(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser starts the download a moment later.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Today's date for file names, such as `2026-03-01`. */
export const today = (): string => new Date().toISOString().slice(0, 10);
