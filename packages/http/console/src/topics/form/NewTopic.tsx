// The dialogs of a new topic and of changes.
import type { Topic } from "@tentpole/client"
import { useNavigate } from "@tanstack/react-router"
import { useMutationOf } from "../../api/mutations.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { useWords } from "../../words/Words.tsx"
import { creationOf, editOf, newTopic, type TopicValues, valuesOf } from "../topic.ts"
import { TopicForm } from "./TopicForm.tsx"

interface Props {
  readonly onClose: () => void
}

export const NewTopic = ({ onClose }: Props) => {
  const words = useWords("topics")
  const navigate = useNavigate()
  const create = useMutationOf("topics", "create", {
    done: ({ name }) => words.created(name),
    onDone: ({ topic_id }) => navigate({ to: "/topics/$topicId", params: { topicId: topic_id } }),
  })
  return (
    <TopicForm
      title={words.create}
      action={words.createAction}
      first={newTopic}
      isNew
      isPending={create.isPending}
      error={create.error}
      onSubmit={(values) => create.mutate({ payload: creationOf(values) })}
      onClose={onClose}
      beside={(values) => <CurlButton call={["topics", "create", { payload: creationOf(values) }]} />}
    />
  )
}

export const EditTopic = ({ onClose, topic }: Props & { readonly topic: Topic }) => {
  const words = useWords("topics")
  const { save } = useWords("shell")
  const edit = useMutationOf("topics", "edit", { done: () => words.saved, onDone: onClose })
  const requestOf = (values: TopicValues) => ({ params: { topicId: topic.topic_id }, payload: editOf(values) })
  return (
    <TopicForm
      title={words.editTitle}
      action={save}
      first={valuesOf(topic)}
      isNew={false}
      isPending={edit.isPending}
      error={edit.error}
      onSubmit={(values) => edit.mutate(requestOf(values))}
      onClose={onClose}
      beside={(values) => <CurlButton call={["topics", "edit", requestOf(values)]} />}
    />
  )
}
