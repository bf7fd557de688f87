// The pages on which people confirm, choose topics and unsubscribe, for a sample person.
import { Button, Group, NativeSelect, Paper, Skeleton, Stack, Text } from "@mantine/core"
import type { HostedPage } from "@tentpole/client"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { queryOf } from "../../api/queries.ts"
import { CurlButton } from "../../parts/Copy.tsx"
import { PanelHead } from "../../parts/PageHeader.tsx"
import { useIsPhone } from "../../parts/phone.ts"
import { Problem } from "../../parts/Problem.tsx"
import { DarkChoice, PhoneChoice, ScaledPreview } from "../../parts/preview/ScaledPreview.tsx"
import { useWords } from "../../words/Words.tsx"

const phone_px = 390
/** The card of the pages has 560 px. */
const desktop_px = 880
const height_px = 720

const groups = {
  subscribe: ["form_received", "confirmation", "confirmed", "confirmation_expired"],
  choose: ["preferences", "preferences_saved"],
  leave: ["unsubscribe", "unsubscribed"],
} as const satisfies Readonly<Record<string, ReadonlyArray<HostedPage["name"]>>>

const group_names = ["subscribe", "choose", "leave"] as const

interface Props {
  /** Null: the first active topic, or a sample. */
  readonly topicId: string | null
  /** Beside the choice of the page. */
  readonly children?: ReactNode
}

export const HostedPages = ({ children, topicId }: Props) => {
  const { pages: words } = useWords("topics")
  const { preview } = useWords("shell")
  const [name, setName] = useState<HostedPage["name"]>("confirmation")
  const onPhone = useIsPhone()
  const [isPhone, setPhone] = useState<boolean | null>(null)
  const [isDark, setDark] = useState(false)
  const [hasPictures, setPictures] = useState(false)
  const query = topicId === null ? {} : { topic_id: topicId }
  const found = useQuery({ ...queryOf("hostedPages", "preview", { query }), placeholderData: keepPreviousData })
  const pages = found.data?.hosted_pages ?? []
  const html = pages.find((page) => page.name === name)?.html ?? ""
  return (
    <Paper p="md" component="section" aria-label={words.title}>
      <PanelHead title={words.title} beside={<CurlButton call={["hostedPages", "preview", { query }]} />} />
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {words.text}
        </Text>
        <Group gap="sm" align="flex-end">
          <NativeSelect
            size="xs"
            label={words.page}
            value={name}
            data={group_names.map((group) => ({
              group: words.groups[group],
              items: groups[group].map((value) => ({ value, label: words.names[value] })),
            }))}
            onChange={({ currentTarget: { value } }) =>
              setName(pages.find((page) => page.name === value)?.name ?? name)
            }
          />
          {children}
          <PhoneChoice label={words.width} isOn={isPhone ?? onPhone} onChange={setPhone} />
          <DarkChoice label={words.scheme} isOn={isDark} onChange={setDark} />
          {html.includes("<img") && (
            <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setPictures(!hasPictures)}>
              {hasPictures ? words.hidePictures : preview.pictures}
            </Button>
          )}
        </Group>
        {found.isPending && <Skeleton className="late" h={height_px} radius="lg" />}
        {found.isError && <Problem error={found.error} onRetry={found.refetch} />}
        {found.data !== undefined && (
          <ScaledPreview
            html={html}
            title={words.names[name]}
            isPhone={isPhone ?? onPhone}
            phone_px={phone_px}
            desktop_px={desktop_px}
            height_px={height_px}
            scheme={isDark ? "dark" : "light"}
            pictures={hasPictures}
          />
        )}
      </Stack>
    </Paper>
  )
}
