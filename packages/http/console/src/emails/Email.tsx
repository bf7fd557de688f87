// The screen of one email.
import { useParams } from "@tanstack/react-router"
import { useWords } from "../words/Words.tsx"
import { Editor } from "./editor/Editor.tsx"

export const Email = () => {
  const words = useWords("emails")
  const { emailId } = useParams({ from: "/emails/$emailId" })
  return <Editor key={emailId} kind="emails" id={emailId} back={{ to: "/emails", label: words.title }} />
}
