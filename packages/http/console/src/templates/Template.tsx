// The screens of one template: of emails, and of pages.
import { useParams } from "@tanstack/react-router"
import { Editor } from "../emails/editor/Editor.tsx"
import { useWords } from "../words/Words.tsx"

export const EmailTemplate = () => {
  const { templates } = useWords("emails")
  const { templateId } = useParams({ from: "/templates/emails/$templateId" })
  const back = { to: "/templates", label: templates.title }
  return <Editor key={templateId} kind="emailTemplates" id={templateId} back={back} />
}

export const TentTemplate = () => {
  const { templates } = useWords("emails")
  const { templateId } = useParams({ from: "/templates/tents/$templateId" })
  const back = { to: "/templates", label: templates.title }
  return <Editor key={templateId} kind="tentTemplates" id={templateId} back={back} />
}
