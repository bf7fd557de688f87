// The code editor of emails: completion of merge tokens, marks for issues, and the key that saves. Loaded with CodeMirror.
import type { Completion, CompletionContext, CompletionSource } from "@codemirror/autocomplete"
import { htmlLanguage } from "@codemirror/lang-html"
import { type Diagnostic, setDiagnostics } from "@codemirror/lint"
import { type Extension, Prec } from "@codemirror/state"
import { type EditorView, keymap, ViewPlugin } from "@codemirror/view"

interface Known {
  /** Called by the key. */
  readonly onSave: () => void
  readonly tokens: ReadonlyArray<{ readonly token: string; readonly label: string; readonly sample: string | null }>
  readonly formats: ReadonlyArray<string>
}

interface Issue {
  readonly line: number
  readonly column: number
  readonly message: string
}

/** A mark ends with its token, at most so many characters later. */
const mark_length_max = 200

/** Replaces the braces that the editor closed by itself, too. */
const insert =
  (text: string) =>
  (view: EditorView, _completion: Completion, from: number, to: number): void => {
    const [closed = ""] = /^\}{0,2}/.exec(view.state.sliceDoc(to, to + 2)) ?? []
    view.dispatch({
      changes: { from, to: to + closed.length, insert: text },
      selection: { anchor: from + text.length },
      userEvent: "input.complete",
    })
  }

const diagnosticOf = (view: EditorView, { column, line, message }: Issue): Diagnostic => {
  const { doc } = view.state
  const at = doc.line(Math.min(Math.max(1, line), doc.lines))
  const from = Math.min(at.from + column - 1, at.to)
  const end = doc.sliceString(from, Math.min(from + mark_length_max, doc.length)).indexOf("}}")
  return { from, to: end < 0 ? Math.min(from + 1, doc.length) : from + end + 2, severity: "warning", message }
}

export class MailCode {
  readonly extensions: ReadonlyArray<Extension>
  #known: Known = { onSave: () => undefined, tokens: [], formats: [] }
  #view: EditorView | null = null
  #issues: ReadonlyArray<Issue> = []

  constructor() {
    const complete: CompletionSource = (context) => this.#complete(context)
    this.extensions = [
      htmlLanguage.data.of({ autocomplete: complete }),
      Prec.high(keymap.of([{ key: "Mod-s", preventDefault: true, run: () => (this.#known.onSave(), true) }])),
      ViewPlugin.define((view) => {
        this.#view = view
        // An editor can't be changed while it is made.
        queueMicrotask(() => this.#mark())
        return { destroy: () => (this.#view = null) }
      }),
    ]
  }

  know(known: Known): void {
    this.#known = known
  }

  /** Underlines the issues of the text. */
  mark(issues: ReadonlyArray<Issue>): void {
    this.#issues = issues
    this.#mark()
  }

  #mark(): void {
    const view = this.#view
    if (view === null) return
    view.dispatch(
      setDiagnostics(
        view.state,
        this.#issues.map((issue) => diagnosticOf(view, issue)),
      ),
    )
  }

  #complete(context: CompletionContext) {
    const format = context.matchBefore(/\{\{[\w.]+(?::\w+)*:\w*/)
    if (format !== null) {
      const from = format.from + format.text.lastIndexOf(":") + 1
      return { from, validFor: /^\w*$/, options: this.#known.formats.map((label) => ({ label, type: "keyword" })) }
    }
    const begun = context.matchBefore(/\{\{[\w.]*/)
    if (begun === null) return null
    return {
      from: begun.from,
      // The options stay while a person types: one that is asked for again can't be clicked.
      validFor: /^\{\{[\w.]*$/,
      options: this.#known.tokens.map(({ label, sample, token }) => ({
        label: `{{${token}}}`,
        detail: sample === null ? label : `${label}: ${sample}`,
        type: "variable",
        apply: insert(`{{${token}}}`),
      })),
    }
  }
}
