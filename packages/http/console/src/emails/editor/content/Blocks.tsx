// The HTML of an email as blocks: the editor runs in a frame without an origin, and posts HTML with its own document.
import { useEffect, useMemo, useReducer, useRef } from "react"
import type { Design } from "../../draft.ts"
import { useWords } from "../../../words/Words.tsx"
import { editor_name, fromWriter, type ToWriter } from "../../../writer/messages.ts"

const height_px = 520

interface Props {
  readonly html: string
  /** Null: the HTML is turned into blocks, which changes it at once. */
  readonly design: Design | null
  readonly isReadOnly: boolean
  readonly onChange: (html: string, design: Design) => void
  readonly onSave: () => void
}

const textOf = (design: Design | null): string => JSON.stringify(design?.document ?? null)

export const Blocks = ({ design, html, isReadOnly, onChange, onSave }: Props) => {
  const words = useWords("emails")
  const frame = useRef<HTMLIFrameElement>(null)
  /** The document that the frame has: only another one is sent, because it would take the cursor away. */
  const known = useRef<string | null>(null)
  /** The document of the last render. A render that began before a message came has the one before. */
  const before = useRef<string | null>(null)
  const text = useMemo(() => textOf(design), [design])
  const latest = useRef({ onChange, show: () => {} })
  const [wishes, wish] = useReducer((count: number) => count + 1, 0)
  const granted = useRef(0)
  // After the render that knows what was written with the wish.
  useEffect(() => {
    if (granted.current === wishes) return
    granted.current = wishes
    onSave()
  }, [wishes, onSave])
  useEffect(() => {
    const show = () => {
      known.current = text
      const message: ToWriter = { document: design?.document ?? null, html, isReadOnly, words: words.writer }
      // The frame has no origin that could be named here.
      frame.current?.contentWindow?.postMessage(message, "*")
    }
    latest.current = { onChange, show }
    if (known.current !== null && text !== known.current && text !== before.current) show()
    before.current = text
  }, [design, html, isReadOnly, onChange, text, words])
  useEffect(() => {
    const hear = ({ data, origin, source }: MessageEvent<unknown>) => {
      if (source !== frame.current?.contentWindow || origin !== "null") return
      const message = fromWriter(data)
      if (message === null) return
      const { save, written } = message
      if (written !== null) {
        const next = { editor: editor_name, document: written.document }
        known.current = textOf(next)
        latest.current.onChange(written.html, next)
      }
      if (save) wish()
    }
    addEventListener("message", hear)
    return () => removeEventListener("message", hear)
  }, [])
  return (
    <iframe
      ref={frame}
      className="preview"
      title={words.views.blocks}
      src="/writer.html"
      sandbox="allow-scripts"
      style={{ width: "100%", height: height_px, colorScheme: "light" }}
      onLoad={() => latest.current.show()}
    />
  )
}
