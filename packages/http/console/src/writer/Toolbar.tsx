// The toolbar of the block editor: it inserts blocks at the cursor. The menu behind "/" has the same ones.
import type { EmailEditorRef } from "@react-email/editor"
import {
  BULLET_LIST,
  BUTTON,
  defaultSlashCommands,
  DIVIDER,
  H1,
  H2,
  NUMBERED_LIST,
  QUOTE,
  SECTION,
  TEXT,
  TWO_COLUMNS,
} from "@react-email/editor/ui"
import { type SyntheticEvent, useState } from "react"
import { type Block, blocks, type WriterWords } from "./messages.ts"

type Editor = NonNullable<EmailEditorRef["editor"]>

/** These are put below the block of the cursor; the others change it. */
const below: ReadonlyArray<Block> = ["button", "divider", "section", "columns"]

/** The position below the block of the cursor, outside of lists and quotes. */
const belowCursor = ({ state }: Editor): number => {
  const at = state.selection.$to
  const outer = Array.from({ length: at.depth }, (_, index) => index + 1).find(
    (depth) => at.node(depth).type.name !== "container",
  )
  return outer === undefined ? at.pos : at.after(outer)
}

const insert = (editor: Editor, block: Block): void => {
  if (below.includes(block)) {
    const at = belowCursor(editor)
    editor
      .chain()
      .insertContentAt(at, { type: "paragraph" })
      .setTextSelection(at + 1)
      .run()
  }
  const { to } = editor.state.selection
  commands[block].command({ editor, range: { from: to, to } })
}

const commands: Readonly<Record<Block, typeof TEXT>> = {
  text: TEXT,
  title: H1,
  heading: H2,
  bullets: BULLET_LIST,
  numbers: NUMBERED_LIST,
  quote: QUOTE,
  button: BUTTON,
  divider: DIVIDER,
  section: SECTION,
  columns: TWO_COLUMNS,
}

/** Gives the menu behind "/", which has no setting for its texts, the blocks of the toolbar under their names there. */
export const nameMenu = (words: WriterWords): void => {
  const entries = blocks.map((block) => {
    const { searchTerms = [], title, ...entry } = commands[block]
    return { ...entry, title: words.blocks[block], searchTerms: [title.toLowerCase(), ...searchTerms] }
  })
  defaultSlashCommands.splice(0, defaultSlashCommands.length, ...entries)
}

interface Props {
  readonly editor: Editor
  readonly words: WriterWords
}

/** A picture by its address: mail programs do not show pictures that are part of the HTML. */
const Picture = ({ editor, words }: Props) => {
  const [address, setAddress] = useState("")
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (address.trim() === "") return
    editor
      .chain()
      .insertContentAt(belowCursor(editor), { type: "image", attrs: { src: address.trim() } })
      .focus()
      .run()
    setAddress("")
  }
  return (
    <form onSubmit={submit}>
      <input
        type="url"
        aria-label={words.pictureAddress}
        placeholder={words.picture}
        value={address}
        onChange={({ currentTarget }) => setAddress(currentTarget.value)}
      />
      <button type="submit" disabled={address.trim() === ""}>
        {words.insert}
      </button>
    </form>
  )
}

export const Toolbar = ({ editor, words }: Props) => (
  <div className="toolbar" role="toolbar" aria-label={words.toolbar}>
    {blocks.map((block) => (
      <button key={block} type="button" onClick={() => insert(editor, block)}>
        {words.blocks[block]}
      </button>
    ))}
    <Picture editor={editor} words={words} />
  </div>
)
