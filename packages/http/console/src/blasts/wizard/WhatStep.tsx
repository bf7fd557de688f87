// Step 2: the email. An approved one is found by its name, and shown as its readers see it.
import { Alert, Grid, Group, Paper, SegmentedControl, Skeleton, Stack, Switch, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { queryOf } from "../../api/queries.ts"
import { DeviceIcon, PhoneIcon, WarningIcon } from "../../Icons.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { choices_max, Picker } from "../../parts/fields/Picker.tsx"
import { Preview } from "../../parts/Preview.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { useWords } from "../../words/Words.tsx"
import { NextStep, type StepProps } from "./NextStep.tsx"

const phone_width_px = 375
const preview_height_px = 480

/** The message of an email, with the fallbacks of its tokens. */
const Message = ({ emailId }: { readonly emailId: string }) => {
  const words = useWords("blasts")
  const { preview } = useWords("shell")
  const [isNarrow, setNarrow] = useState(false)
  const [hasPictures, setPictures] = useState(false)
  const found = useQuery(queryOf("emails", "preview", { params: { emailId } }))
  if (found.isPending) return <Skeleton className="late" h={preview_height_px} radius="lg" />
  if (found.isError) return <Problem error={found.error} onRetry={found.refetch} />
  return (
    <Paper p="md" component="section" aria-label={preview.title}>
      <Group justify="space-between" mb="sm">
        <SegmentedControl
          size="xs"
          aria-label={preview.title}
          value={isNarrow ? "phone" : "desktop"}
          data={[
            { value: "desktop", label: <Width icon={<DeviceIcon size={14} />} label={preview.desktop} /> },
            { value: "phone", label: <Width icon={<PhoneIcon size={14} />} label={preview.phone} /> },
          ]}
          onChange={(next) => setNarrow(next === "phone")}
        />
        <Switch
          size="xs"
          label={preview.pictures}
          checked={hasPictures}
          onChange={({ currentTarget }) => setPictures(currentTarget.checked)}
        />
      </Group>
      <Text fw={600} mb="xs" className="break">
        {found.data.subject === "" ? words.noSubject : found.data.subject}
      </Text>
      <Preview
        html={found.data.html}
        height_px={preview_height_px}
        pictures={hasPictures}
        {...(isNarrow ? { width_px: phone_width_px } : {})}
      />
    </Paper>
  )
}

const Width = ({ icon, label }: { readonly icon: ReactNode; readonly label: string }) => (
  <Group gap={6} wrap="nowrap">
    {icon}
    {label}
  </Group>
)

export const WhatStep = ({ blast, onStep }: StepProps) => {
  const words = useWords("blasts")
  const params = { blastId: blast.blast_id }
  const set = useMutationOf("blasts", "setEmail", { done: () => words.emailSet })
  const { email } = blast
  return (
    <>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Paper p="md">
            <Stack>
              <Picker
                label={words.email}
                placeholder={words.searchEmail}
                value={email?.email_id ?? null}
                chosenLabel={email?.name ?? null}
                source={(search) =>
                  queryOf("emails", "list", {
                    query: { status: "approved", limit: choices_max, ...(search === "" ? {} : { search }) },
                  })
                }
                choicesOf={({ emails }) =>
                  emails.map(({ email_id, name, subject }) => ({ value: email_id, label: name, detail: subject }))
                }
                onChange={(emailId) => {
                  if (emailId !== null) set.mutate({ params, payload: { source: "existing", email_id: emailId } })
                }}
              />
              <Text size="xs" c="dimmed">
                {words.emailText}
              </Text>
              {set.isError && <Problem error={set.error} />}
              {email !== null && email.status === "draft" && (
                <Alert color="yellow" icon={<WarningIcon />} title={words.missing.email_approval} />
              )}
              {email !== null && email.changed_since_approval.length > 0 && (
                <Alert color="yellow" icon={<WarningIcon />} title={words.warnings.email_changed_since_approval} />
              )}
              <Group justify="flex-end">
                <CurlButton
                  call={[
                    "blasts",
                    "setEmail",
                    { params, payload: { source: "existing", email_id: email?.email_id ?? words.exampleId } },
                  ]}
                />
              </Group>
            </Stack>
          </Paper>
          <NextStep back="who" next="when" isReady={email !== null} onStep={onStep} />
        </Grid.Col>
        {email !== null && (
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Message key={email.email_id} emailId={email.email_id} />
          </Grid.Col>
        )}
      </Grid>
    </>
  )
}
