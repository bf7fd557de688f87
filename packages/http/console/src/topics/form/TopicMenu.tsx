// The actions of a topic: changes, archiving and the way back, and deletion.
import { ActionIcon, Button, List, Menu, Stack, Text } from "@mantine/core"
import type { Topic } from "@tentpole/client"
import { Link, useNavigate } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { ArchiveIcon, DotsIcon, EditIcon, TrashIcon, UndoIcon } from "../../Icons.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { type TopicUse, usesIn } from "../topic.ts"

const EditTopic = lazy(async () => ({ default: (await import("./NewTopic.tsx")).EditTopic }))

interface Props {
  readonly topic: Topic
  readonly onClose: () => void
}

const ArchiveTopic = ({ onClose, topic: { name, topic_id } }: Props) => {
  const words = useWords("topics")
  const archive = useMutationOf("topics", "edit", { done: () => words.archived(name), onDone: onClose })
  return (
    <Confirm
      title={words.archiveTitle(name)}
      text={words.archiveText}
      action={words.archiveAction}
      isDangerous={false}
      isPending={archive.isPending}
      error={archive.error}
      onClose={onClose}
      onConfirm={() => archive.mutate({ params: { topicId: topic_id }, payload: { status: "archived" } })}
    />
  )
}

const Use = ({ use: { count, name, path, type } }: { readonly use: TopicUse }) => {
  const words = useWords("topics")
  if (type === "contacts" || path === null) return words.usedByContacts(count)
  return (
    <>
      {words.uses[type]}{" "}
      <Link to={path} className="link inline">
        {name}
      </Link>
    </>
  )
}

const DeleteTopic = ({ onClose, topic: { name, topic_id } }: Props) => {
  const words = useWords("topics")
  const navigate = useNavigate()
  const remove = useMutationOf("topics", "remove", {
    done: () => words.deleted(name),
    onDone: () => navigate({ to: "/topics" }),
  })
  const uses = usesIn(remove.error)
  return (
    <Confirm
      title={words.deleteTitle(name)}
      text={
        <Stack gap="xs">
          <Text size="sm">{words.deleteText}</Text>
          {uses.length > 0 && (
            <List size="sm">
              {uses.map((use) => (
                <List.Item key={use.path ?? use.type}>
                  <Use use={use} />
                </List.Item>
              ))}
            </List>
          )}
        </Stack>
      }
      action={words.deleteAction}
      typed={name}
      isPending={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { topicId: topic_id } })}
    />
  )
}

export const TopicMenu = ({ topic }: Pick<Props, "topic">) => {
  const words = useWords("topics")
  const { more } = useWords("shell")
  const [open, setOpen] = useState<"edit" | "archive" | "delete" | null>(null)
  const close = () => setOpen(null)
  const activate = useMutationOf("topics", "edit", { done: ({ name }) => words.activated(name) })
  const isActive = topic.status === "active"
  return (
    <>
      <Button variant="default" leftSection={<EditIcon size={16} />} onClick={() => setOpen("edit")}>
        {words.edit}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={more} loading={activate.isPending}>
            <DotsIcon />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {isActive ? (
            <Menu.Item leftSection={<ArchiveIcon size={16} />} onClick={() => setOpen("archive")}>
              {words.archive}
            </Menu.Item>
          ) : (
            <Menu.Item
              leftSection={<UndoIcon size={16} />}
              onClick={() => activate.mutate({ params: { topicId: topic.topic_id }, payload: { status: "active" } })}
            >
              {words.activate}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<TrashIcon size={16} />} c="red" onClick={() => setOpen("delete")}>
            {words.delete}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {activate.isError && <Problem error={activate.error} />}
      <Suspense fallback={null}>
        {open === "edit" && <EditTopic topic={topic} onClose={close} />}
        {open === "archive" && <ArchiveTopic topic={topic} onClose={close} />}
        {open === "delete" && <DeleteTopic topic={topic} onClose={close} />}
      </Suspense>
    </>
  )
}
