// The HTML of an email in the code editor, with completion of tokens and marks for issues. Both load with CodeMirror.
import { Skeleton } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { CodeEditor } from "../../../parts/code/CodeEditor.tsx"
import { useWords } from "../../../words/Words.tsx"
import { tokensQuery } from "../calls.ts"
import type { MailCode } from "./mailCode.ts"

const height_px = 520

interface Props {
  readonly html: string
  readonly isReadOnly: boolean
  readonly issues: ReadonlyArray<{ readonly line: number; readonly column: number; readonly message: string }>
  readonly onChange: (html: string) => void
  readonly onSave: () => void
}

export const CodeField = ({ html, isReadOnly, issues, onChange, onSave }: Props) => {
  const words = useWords("emails")
  const [code, setCode] = useState<MailCode | null>(null)
  const tokens = useQuery({ ...tokensQuery, staleTime: 60_000 })
  useEffect(() => {
    void import("./mailCode.ts").then(({ MailCode: Code }) => setCode(new Code()))
  }, [])
  useEffect(() => {
    code?.know({ onSave, tokens: tokens.data?.tokens ?? [], formats: tokens.data?.formats ?? [] })
  }, [code, onSave, tokens.data])
  useEffect(() => code?.mark(issues), [code, issues])
  if (code === null) return <Skeleton h={height_px} />
  return (
    <CodeEditor
      label={words.html}
      language="html"
      value={html}
      height_px={height_px}
      isReadOnly={isReadOnly}
      extensions={code.extensions}
      onChange={onChange}
    />
  )
}
