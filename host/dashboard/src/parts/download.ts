/** Lets the browser keep a file. */
export function download(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser begins a moment later.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
