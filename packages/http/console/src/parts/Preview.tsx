// A message or page in a frame without an origin: no script of it runs, and it reaches neither cookies nor network.
import { useEffect, useRef } from "react"
import { useWords } from "../words/Words.tsx"

/** A longer message is not believed. */
const message_links_max = 1_000
const height_max_px = 20_000

interface Props {
  readonly html: string
  /** Name of the frame. */
  readonly title?: string
  /** 375 for a phone. Default: the width of the place. */
  readonly width_px?: number
  /** Default: the height of the content. */
  readonly height_px?: number
  readonly scheme?: "light" | "dark"
  /** Pictures lie with brands and authors, which see that they are loaded: on request only. */
  readonly pictures?: boolean
  /** A link in the frame was clicked. */
  readonly onOpen?: (href: string) => void
}

const isSize = (value: unknown): value is number => typeof value === "number" && value > 0 && value <= height_max_px

export const Preview = ({ height_px, html, onOpen, pictures = false, scheme = "light", title, width_px }: Props) => {
  const words = useWords("shell")
  const frame = useRef<HTMLIFrameElement>(null)
  const isLoaded = useRef(false)
  const show = useRef<() => void>(() => undefined)
  const opened = useRef(onOpen)
  useEffect(() => {
    opened.current = onOpen
    // The frame has no origin that could be named here.
    show.current = () => frame.current?.contentWindow?.postMessage({ html, scheme }, "*")
    if (isLoaded.current) show.current()
  }, [html, scheme, onOpen])
  useEffect(() => {
    const hear = ({ data, origin, source }: MessageEvent<unknown>) => {
      if (source !== frame.current?.contentWindow || origin !== "null") return
      const {
        height,
        links,
        opened: href,
      } = (typeof data === "object" && data !== null ? data : {}) as Record<string, unknown>
      if (Array.isArray(links) && links.length > message_links_max) return
      if (isSize(height) && height_px === undefined && frame.current !== null)
        frame.current.style.height = `${height}px`
      if (typeof href === "string") opened.current?.(href)
    }
    addEventListener("message", hear)
    return () => removeEventListener("message", hear)
  }, [height_px])
  return (
    <iframe
      key={String(pictures)}
      ref={frame}
      className="preview"
      title={title ?? words.preview.title}
      src={pictures ? "/frame.html?pictures" : "/frame.html"}
      sandbox="allow-scripts"
      style={{ width: width_px ?? "100%", maxWidth: "100%", height: height_px ?? 240, colorScheme: scheme }}
      onLoad={() => {
        isLoaded.current = true
        show.current()
      }}
    />
  )
}
