// The upload of a file with its progress: `fetch` reports none of bodies that are sent.
import { ConnectionFailed, toFailure } from "@tentpole/client/Failures"

export interface Progress {
  readonly sent_bytes: number
  readonly all_bytes: number
  readonly per_second: number
}

/** The address on this origin: the service answers uploads on the console's listener, too. */
export const ownAddress = (upload_url: string): string => {
  const at = upload_url.indexOf("/uploads/")
  return at < 0 ? upload_url : upload_url.slice(at)
}

const headersOf = (request: XMLHttpRequest): Record<string, string> =>
  Object.fromEntries(
    request
      .getAllResponseHeaders()
      .split("\r\n")
      .map((line) => line.split(": "))
      .map(([name = "", value = ""]) => [name, value]),
  )

/** Sends the file. Rejects with the failure of the call, or with the reason of the signal. */
export const upload = (
  upload_url: string,
  file: Blob,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const began_ms = performance.now()
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      const passed_s = Math.max(0.1, (performance.now() - began_ms) / 1_000)
      onProgress({ sent_bytes: loaded, all_bytes: total, per_second: loaded / passed_s })
    })
    request.addEventListener("load", () => {
      if (request.status < 300) return resolve()
      reject(toFailure(request.status, request.responseText, headersOf(request), Date.now()))
    })
    request.addEventListener("error", () => reject(new ConnectionFailed({ message: "The upload was cut off" })))
    request.addEventListener("abort", () => reject(signal.reason as Error))
    signal.addEventListener("abort", () => request.abort())
    request.open("PUT", ownAddress(upload_url))
    request.send(file)
  })
