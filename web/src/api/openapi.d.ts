// Generated from openapi.json by `npm run web:types`. Not to be edited.

export interface paths {
    "/v1/auth/email/request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Mail a single-use sign-in code */
        post: operations["request_email_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/email/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in, or sign up, with an emailed code */
        post: operations["verify_email_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/idp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in with an identity-provider token */
        post: operations["sign_in_with_provider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Complete a sign-in with a second factor */
        post: operations["verify_second_factor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke the session that asks */
        delete: operations["sign_out"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the active sessions, newest first */
        get: operations["list_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke one of your sessions */
        delete: operations["revoke_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/enroll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin to set up an authenticator app */
        post: operations["enroll_second_factor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/enroll/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Turn the second factor on with a live code */
        post: operations["confirm_second_factor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tell whether the second factor is on */
        get: operations["second_factor_status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/mfa/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Turn the second factor off with a current code */
        post: operations["disable_second_factor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your access tokens, newest first */
        get: operations["list_tokens"];
        put?: never;
        /** Mint an access token for an agent */
        post: operations["mint_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke an access token */
        delete: operations["revoke_token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read your settings */
        get: operations["read_settings"];
        put?: never;
        post?: never;
        /** Delete your account and all of its data */
        delete: operations["delete_account"];
        options?: never;
        head?: never;
        /** Change your settings; what is left out stays */
        patch: operations["update_settings"];
        trace?: never;
    };
    "/v1/me/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pause all reminders, or move the end of the pause */
        post: operations["pause"];
        /** End the pause now */
        delete: operations["end_pause"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/pause/ack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Put the welcome-back card away */
        post: operations["acknowledge_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your devices, newest first */
        get: operations["list_devices"];
        put?: never;
        /** Register a device for nudges, or make it valid again */
        post: operations["register_device"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/la-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Keep the token that starts a Live Activity on a device */
        post: operations["keep_start_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say that the app is in the foreground */
        post: operations["ping_device"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{device_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Remove a device */
        delete: operations["remove_device"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/ack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Say that a nudge was seen */
        post: operations["acknowledge_nudge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/test-push": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a real push to each of your valid devices */
        post: operations["test_push"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/vapid-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tell the key that a browser subscribes with */
        get: operations["read_vapid_key"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/la-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report the token of a task's running Live Activity */
        post: operations["report_activity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your tasks by their next moment of interest */
        get: operations["list_tasks"];
        put?: never;
        /** Create a task, or ask another person to take it */
        post: operations["create_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one task in full */
        get: operations["read_task"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change a task; what is left out stays */
        patch: operations["update_task"];
        trace?: never;
    };
    "/v1/tasks/{task_id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Complete the task, or this occurrence of it */
        post: operations["complete_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Close it without doing it, as an honest miss */
        post: operations["skip_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/snooze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Defer the task until an instant */
        post: operations["snooze_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/drop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel the task and record nothing */
        post: operations["drop_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Accept a task that was assigned to you */
        post: operations["accept_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Decline a task that was assigned to you */
        post: operations["decline_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/reopen": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Take back the last complete, skip or drop */
        post: operations["reopen_task"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/forecast": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tell the nudges to come and what holds them */
        get: operations["forecast_task"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tasks/{task_id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tell what happened to the task, newest first */
        get: operations["read_timeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{space_id}/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tasks of a space that you may see */
        get: operations["list_space_tasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{space_id}/tasks/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read one task of a space in full */
        get: operations["read_space_task"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/outcomes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what became of your tasks, newest first */
        get: operations["list_outcomes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the sums over your tasks */
        get: operations["read_statistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read everything that changed since you last asked */
        get: operations["sync"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the spaces you are a member of */
        get: operations["list_spaces"];
        put?: never;
        /** Create a space and become its owner */
        post: operations["create_space"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{space_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the members of a space */
        get: operations["list_members"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{space_id}/membership": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Leave a space and take your tasks with you */
        delete: operations["leave_space"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{space_id}/invites": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Invite somebody into a space */
        post: operations["invite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spaces/{space_id}/invites/{invite_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Take an invitation back */
        delete: operations["revoke_invite"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invites/{token}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Join a space with an invitation */
        post: operations["accept_invite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Take everything of your account along, as one document */
        get: operations["export_account"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/calendar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See whether calendars can read your tasks */
        get: operations["read_calendar_feed"];
        put?: never;
        /** Make an address for calendars, or replace it */
        post: operations["make_calendar_feed"];
        /** Take the address back: nobody reads there any more */
        delete: operations["revoke_calendar_feed"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calendar/{token}.ics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read open tasks as iCalendar, with the secret address */
        get: operations["read_calendar"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tell whether the service can do its work */
        get: operations["health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/billing": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Told by the billing provider, with an Authorization header of its own */
        post: operations["receive_billing_event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Bring tasks in from an export or an iCalendar file */
        post: operations["import_tasks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ErrorOut: {
            /** @default false */
            ok: boolean;
            data: null;
            /** @description A stable code, a colon, and a sentence for a person. */
            error: string;
        };
        ValidationError: {
            /** @description Where: body, query or path, then the way down to the value. */
            loc: (string | number)[];
            /** @description What is wrong, in words. */
            msg: string;
            /** @description What is wrong, as a stable word. */
            type: string;
        };
        /**
         * @example {
         *       "detail": [
         *         {
         *           "type": "missing",
         *           "loc": [
         *             "body",
         *             "title"
         *           ],
         *           "msg": "Field required"
         *         }
         *       ]
         *     }
         */
        HTTPValidationError: {
            detail: components["schemas"]["ValidationError"][];
        };
        EmailAuthRequest: {
            /**
             * Format: email
             * @example ada@example.org
             */
            email: string;
        };
        EmailAuthVerify: {
            /**
             * Format: email
             * @example ada@example.org
             */
            email: string;
            /** @example 123456 */
            code: string;
        };
        AppleAuthRequest: {
            identity_token: string;
            full_name?: string | null;
            authorization_code?: string | null;
        };
        MfaVerify: {
            mfa_token: string;
            code: string;
        };
        EmailAuthResult: {
            /** @description `authenticated` with a session, or `mfa_required` with an mfa_token. */
            status: string;
            /** @description `login`, `register` or `link`. */
            mode: string | null;
            /** @default false */
            created: boolean;
            user_id: string | null;
            session_token: string | null;
            mfa_token: string | null;
            methods: string[] | null;
        };
        SessionOut: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
        };
        MfaCode: {
            code: string;
        };
        MfaEnrollOut: {
            secret: string;
            otpauth_uri: string;
        };
        MfaConfirmOut: {
            enabled: boolean;
            recovery_codes: string[];
        };
        MfaStatusOut: {
            enabled: boolean;
            /** @default 0 */
            recovery_codes_remaining: number;
        };
        TokenCreate: {
            /** @example My agent */
            name?: string | null;
            /**
             * @default [
             *       "tasks:read"
             *     ]
             */
            scopes: ("tasks:read" | "tasks:write" | "settings:write")[];
            /** Format: date-time */
            expires_at?: string | null;
            /** @description The strongest stage that tasks created with the token may reach; null for the whole ladder. */
            max_stage?: number | null;
            /** @description How many tasks created with the token may be open at once; null for no limit. */
            max_open_tasks?: number | null;
        };
        TokenMinted: {
            /** Format: uuid */
            id: string;
            name: string | null;
            scopes: ("tasks:read" | "tasks:write" | "settings:write")[];
            /** @description The first characters of the token, to recognise it by. */
            prefix: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string | null;
            /** Format: date-time */
            expires_at: string | null;
            /** @description The strongest stage that tasks created with the token may reach; null for the whole ladder. */
            max_stage: number | null;
            /** @description How many tasks created with the token may be open at once; null for no limit. */
            max_open_tasks: number | null;
            /** @description Shown this once. */
            token: string;
        };
        TokenOut: {
            /** Format: uuid */
            id: string;
            name: string | null;
            scopes: ("tasks:read" | "tasks:write" | "settings:write")[];
            /** @description The first characters of the token, to recognise it by. */
            prefix: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string | null;
            /** Format: date-time */
            expires_at: string | null;
            /** @description The strongest stage that tasks created with the token may reach; null for the whole ladder. */
            max_stage: number | null;
            /** @description How many tasks created with the token may be open at once; null for no limit. */
            max_open_tasks: number | null;
        };
        UserSettingsOut: {
            /** Format: uuid */
            id: string;
            email: string | null;
            display_name: string | null;
            /** @description An IANA name. */
            timezone: string;
            quiet_hours_start: string | null;
            quiet_hours_end: string | null;
            day_start: string;
            /** Format: date-time */
            paused_until: string | null;
            keep_must_not_miss: boolean;
            welcome_back: {
                /** Format: date-time */
                paused_from: string;
                /** Format: date-time */
                paused_until: string;
                /** @description How many nudges the pause held back. */
                held: number;
            } | null;
            mfa_enabled: boolean;
            plan: string;
            /** Format: date-time */
            plan_expires_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        UserSettingsUpdate: {
            display_name?: string | null;
            /** @example Europe/Amsterdam */
            timezone?: string;
            /**
             * @description When quiet hours begin; they hold where both ends are set.
             * @example 22:00
             */
            quiet_hours_start?: string | null;
            /**
             * @description When quiet hours end; before the beginning it means the next day.
             * @example 22:00
             */
            quiet_hours_end?: string | null;
            /**
             * @description When the day begins: all-day tasks are due then.
             * @example 22:00
             */
            day_start?: string;
        };
        PauseRequest: {
            /** Format: date-time */
            until: string;
            /** @default true */
            keep_must_not_miss: boolean;
        };
        DeviceRegister: {
            /**
             * @default ios
             * @enum {string}
             */
            platform: "ios" | "android" | "web";
            ios_push_token?: string | null;
            android_push_token?: string | null;
            web_push_subscription?: {
                endpoint: string;
                keys: {
                    p256dh: string;
                    auth: string;
                };
            } | null;
            /**
             * @default sandbox
             * @enum {string}
             */
            push_env: "sandbox" | "production";
        };
        DevicePing: {
            ios_push_token: string;
        };
        LaPushToken: {
            ios_push_token: string;
            la_push_token: string;
        };
        DeviceOut: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            valid: boolean;
        };
        DeviceDetailOut: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            platform: "ios" | "android" | "web";
            valid: boolean;
            /** @enum {string} */
            push_env: "sandbox" | "production";
            /** @description What the provider said when it gave the token up. */
            invalid_reason: string | null;
            /** Format: date-time */
            last_seen_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        DeliveryAck: {
            /** Format: uuid */
            task_id: string;
            stage: number;
        };
        DeliveryAckOut: {
            acked: boolean;
        };
        LaActivityToken: {
            la_update_token: string;
        };
        TestPushOut: {
            sent: number;
            devices: {
                /** Format: uuid */
                device_id: string;
                /** @enum {string} */
                platform: "ios" | "android" | "web";
                /** @description `sent`, `failed_transient` or `failed_permanent`. */
                status: string;
                reason: string | null;
            }[];
        };
        VapidKeyOut: {
            /** @description Null where browsers cannot be pushed to. */
            public_key: string | null;
        };
        TaskCreate: {
            /** @example Take the medication */
            title: string;
            notes?: string | null;
            /** @default todo */
            kind: string;
            /** Format: date-time */
            due_at?: string | null;
            /** @default false */
            has_time: boolean;
            /**
             * @description `{freq, interval, by_weekday, …}` or `{rrule}`; any other object is kept and does not repeat.
             * @example {
             *       "freq": "weekly",
             *       "by_weekday": [
             *         "mo",
             *         "th"
             *       ]
             *     }
             */
            recurrence?: {
                [key: string]: unknown;
            } | null;
            lead_time_days?: number | null;
            /** @default escalate */
            mode: string;
            /** @default false */
            break_quiet_hours: boolean;
            /** Format: uuid */
            owner_id?: string | null;
            /** Format: uuid */
            space_id?: string | null;
        };
        TaskUpdate: {
            /** @example Take the medication */
            title?: string;
            notes?: string | null;
            kind?: string;
            /** Format: date-time */
            due_at?: string | null;
            has_time?: boolean;
            /**
             * @description `{freq, interval, by_weekday, …}` or `{rrule}`; any other object is kept and does not repeat.
             * @example {
             *       "freq": "weekly",
             *       "by_weekday": [
             *         "mo",
             *         "th"
             *       ]
             *     }
             */
            recurrence?: {
                [key: string]: unknown;
            } | null;
            lead_time_days?: number | null;
            mode?: string;
            break_quiet_hours?: boolean;
            /** Format: uuid */
            space_id?: string | null;
        };
        OccurrenceRequest: {
            /**
             * Format: date-time
             * @description Refuse when the task has moved on from this occurrence.
             */
            occurrence_due_at?: string | null;
        };
        SnoozeRequest: {
            /** Format: date-time */
            until: string;
            /**
             * Format: date-time
             * @description Refuse when the task has moved on from this occurrence.
             */
            occurrence_due_at?: string | null;
        };
        TaskOut: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            owner_id: string;
            /** Format: uuid */
            assigner_id: string | null;
            /** Format: uuid */
            space_id: string | null;
            title: string;
            notes: string | null;
            kind: string;
            /** Format: date-time */
            due_at: string | null;
            has_time: boolean;
            mode: string;
            /** @description `open`, `done`, `skipped`, `dropped` or `declined`. */
            status: string;
            accepted_by_owner: boolean;
            escalation_stage: number;
            nudge_count: number;
            /** Format: date-time */
            next_fire_at: string | null;
            /** Format: date-time */
            completed_at: string | null;
            /** Format: date-time */
            skipped_at: string | null;
            /** Format: date-time */
            last_nudge_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        TaskDetailOut: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            owner_id: string;
            /** Format: uuid */
            assigner_id: string | null;
            /** Format: uuid */
            space_id: string | null;
            title: string;
            notes: string | null;
            kind: string;
            /** Format: date-time */
            due_at: string | null;
            has_time: boolean;
            mode: string;
            break_quiet_hours: boolean;
            /** @description `open`, `done`, `skipped`, `dropped` or `declined`. */
            status: string;
            accepted_by_owner: boolean;
            escalation_stage: number;
            nudge_count: number;
            /** Format: date-time */
            next_fire_at: string | null;
            /** Format: date-time */
            completed_at: string | null;
            recurrence: {
                [key: string]: unknown;
            } | null;
            lead_time_days: number | null;
            /** Format: date-time */
            deferred_until: string | null;
            /** Format: date-time */
            skipped_at: string | null;
            /** Format: date-time */
            last_nudge_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        NudgeForecast: {
            /** Format: date-time */
            at: string;
            /** @description -1 for a heads-up, then 0, 1, 2. */
            stage: number;
            /**
             * Format: date-time
             * @description When it would come if nothing held it.
             */
            wanted_at: string;
            holds: ("quiet_hours" | "pause")[];
        };
        TimelineEntry: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            at: string;
            /** @description `created`, `accepted`, `declined`, `rescheduled`, `held`, `nudge`, `acknowledged`, `snoozed`, `done`, `skipped`, `dropped` or `reopened`. */
            kind: string;
            /** @description `owner` or `assigner`; null for what the service did by itself. */
            by: string | null;
            /**
             * Format: uuid
             * @description The access token through which it was done.
             */
            token_id: string | null;
            /** @description How the owner knows that token, while it exists; for the owner alone. */
            token: {
                name: string | null;
                prefix: string;
            } | null;
            /** @description -1 for a heads-up, then 0, 1, 2. */
            stage: number | null;
            /**
             * Format: date-time
             * @description The end of a snooze or a hold.
             */
            until: string | null;
            holds: ("quiet_hours" | "pause")[];
            /** Format: date-time */
            occurrence_due_at: string | null;
            /** @description Of a nudge: `no_device`, `pending`, `sent`, `failed`, `cancelled` or `superseded`. */
            reached: string | null;
            /** @description Each device's result; for the owner alone, and for 90 days. */
            deliveries: {
                /** Format: uuid */
                device_id: string;
                /** @description `pending`, `sent`, `failed_transient`, `failed_permanent`, `cancelled` or `superseded`. */
                status: string;
                reason: string | null;
                attempts: number;
                /** Format: date-time */
                sent_at: string | null;
                /** Format: date-time */
                acknowledged_at: string | null;
            }[] | null;
        };
        OutcomeOut: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            task_id: string;
            title: string;
            /** Format: date-time */
            occurrence_due_at: string | null;
            /** @description `done` or `skipped`. */
            outcome: string;
            /** Format: date-time */
            recorded_at: string;
        };
        StatsOut: {
            open: number;
            overdue: number;
            done: number;
            skipped: number;
            snoozed: number;
            nudges_sent: number;
            nudges_per_completion: number;
            avg_hours_to_complete: number | null;
            completion_rate: number | null;
        };
        SpaceCreate: {
            /** @example Home */
            name: string;
        };
        SpaceOut: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: date-time */
            created_at: string;
        };
        MemberOut: {
            /** Format: uuid */
            user_id: string;
            /** @description `owner` or `member`. */
            role: string;
            display_name: string | null;
        };
        InviteCreate: {
            /** @description The invitation is mailed where this is an email address. */
            invitee_contact?: string | null;
        };
        InviteOut: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            space_id: string;
            /** @description Shown this once. Whoever has it may join, once. */
            token: string;
            /** @description `pending`, `accepted`, `revoked` or `expired`. */
            status: string;
        };
        /** @description An event in RevenueCat's form. Whatever else it holds is kept as it comes. */
        BillingWebhook: {
            event: {
                /** @description The same whenever the event is told again. */
                id: string;
                /** @example INITIAL_PURCHASE */
                type: string;
            };
        };
        ArchiveOut: {
            /** @description How this document is laid out: 1. */
            schema_version: number;
            /** Format: date-time */
            exported_at: string;
            /** @description As `GET /v1/me` has them. */
            settings: {
                [key: string]: unknown;
            };
            spaces: {
                [key: string]: unknown;
            }[];
            access_tokens: {
                [key: string]: unknown;
            }[];
            devices: {
                [key: string]: unknown;
            }[];
            identities: {
                [key: string]: unknown;
            }[];
            tasks: {
                /** Format: uuid */
                id: string;
                /** Format: uuid */
                owner_id: string;
                /** Format: uuid */
                assigner_id: string | null;
                /** Format: uuid */
                space_id: string | null;
                title: string;
                notes: string | null;
                kind: string;
                /** Format: date-time */
                due_at: string | null;
                has_time: boolean;
                mode: string;
                break_quiet_hours: boolean;
                /** @description `open`, `done`, `skipped`, `dropped` or `declined`. */
                status: string;
                accepted_by_owner: boolean;
                escalation_stage: number;
                nudge_count: number;
                /** Format: date-time */
                next_fire_at: string | null;
                /** Format: date-time */
                completed_at: string | null;
                recurrence: {
                    [key: string]: unknown;
                } | null;
                lead_time_days: number | null;
                /** Format: date-time */
                deferred_until: string | null;
                /** Format: date-time */
                skipped_at: string | null;
                /** Format: date-time */
                last_nudge_at: string | null;
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                updated_at: string;
                due_written: string | null;
                series_first: string | null;
                occurrence_number: number;
                /** Format: date-time */
                occurrence_started_at: string;
                /** Format: date-time */
                run_started_at: string;
                step: number;
                /** Format: date-time */
                heads_up_at: string | null;
                /** Format: date-time */
                closed_at: string | null;
                max_stage: number | null;
                /** Format: uuid */
                created_by_token: string | null;
                outcomes: {
                    /** Format: uuid */
                    id: string;
                    title: string;
                    /** Format: date-time */
                    occurrence_due_at: string | null;
                    outcome: string;
                    seconds_taken: number;
                    /** Format: date-time */
                    recorded_at: string;
                }[];
                timeline: {
                    /** Format: uuid */
                    id: string;
                    /** Format: date-time */
                    at: string;
                    kind: string;
                    by: string | null;
                    /** Format: uuid */
                    token_id: string | null;
                    stage: number | null;
                    /** Format: date-time */
                    until: string | null;
                    holds: string | null;
                    /** Format: date-time */
                    occurrence_due_at: string | null;
                    devices: number | null;
                    devices_reached: number | null;
                }[];
            }[];
            requests: components["schemas"]["TaskDetailOut"][];
            /**
             * Format: uuid
             * @description Of an importable part that is not the last: what to ask the next one `after`.
             */
            next_after: string | null;
        };
        ImportReport: {
            imported: number;
            /** @description Those that were there already. */
            skipped: number;
            refused: number;
            /** @description Of the imported tasks, how many were overdue by more than a day in another program: no nudge comes. */
            quiet: number;
            /** @description How many of the file were not looked at, since one import takes only so many. */
            remaining: number;
            /** @description Where to go on: send the file again with `from` set to this. */
            next: number | null;
            /** @description Where the two differ, series and all-day tasks follow the clock of the account. */
            zone: {
                /** @description The time zone the document was written in, where it says so. */
                document: string | null;
                /** @description The time zone in which the tasks are reminded of from now on. */
                account: string;
                /** @description The account was new and has the zone of the document now. */
                taken_over: boolean;
            };
            /** @description Of the imported tasks, how many were in a space or came from somebody: that is not brought back. */
            left_behind: {
                spaces: number;
                assigners: number;
            };
            items: {
                /** @description Its place in the file, from 0. */
                index: number;
                title: string | null;
                /**
                 * Format: uuid
                 * @description The task it is now; null where it was not taken in.
                 */
                id: string | null;
                /**
                 * @description `left_out`: nothing is wrong with it, but with others, and so nothing was imported.
                 * @enum {string}
                 */
                result: "imported" | "already_there" | "refused" | "left_out";
                reason: string | null;
            }[];
        };
        CalendarFeedOut: {
            /** @description Whether a calendar can read your tasks. */
            active: boolean;
            /** Format: date-time */
            created_at: string | null;
            /**
             * Format: date-time
             * @description When a calendar last read it, to the minute.
             */
            last_read_at: string | null;
        };
        CalendarFeedMade: {
            /** @description Whether a calendar can read your tasks. */
            active: boolean;
            /** Format: date-time */
            created_at: string | null;
            /**
             * Format: date-time
             * @description When a calendar last read it, to the minute.
             */
            last_read_at: string | null;
            /** @description The address to subscribe to. Shown this once; whoever has it can read. */
            url: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    request_email_code: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailAuthRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            sent: boolean;
                            expires_in_seconds: number;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    verify_email_code: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailAuthVerify"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["EmailAuthResult"];
                        error: null;
                    };
                };
            };
        };
    };
    sign_in_with_provider: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppleAuthRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["EmailAuthResult"];
                        error: null;
                    };
                };
            };
        };
    };
    verify_second_factor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MfaVerify"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["EmailAuthResult"];
                        error: null;
                    };
                };
            };
        };
    };
    sign_out: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            revoked: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    list_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["SessionOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    revoke_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            revoked: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    enroll_second_factor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["MfaEnrollOut"];
                        error: null;
                    };
                };
            };
        };
    };
    confirm_second_factor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MfaCode"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["MfaConfirmOut"];
                        error: null;
                    };
                };
            };
        };
    };
    second_factor_status: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["MfaStatusOut"];
                        error: null;
                    };
                };
            };
        };
    };
    disable_second_factor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MfaCode"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["MfaStatusOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_tokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TokenOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    mint_token: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TokenCreate"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TokenMinted"];
                        error: null;
                    };
                };
            };
        };
    };
    revoke_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            revoked: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    read_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["UserSettingsOut"];
                        error: null;
                    };
                };
            };
        };
    };
    delete_account: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            deleted: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    update_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UserSettingsUpdate"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["UserSettingsOut"];
                        error: null;
                    };
                };
            };
        };
    };
    pause: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PauseRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["UserSettingsOut"];
                        error: null;
                    };
                };
            };
        };
    };
    end_pause: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["UserSettingsOut"];
                        error: null;
                    };
                };
            };
        };
    };
    acknowledge_pause: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["UserSettingsOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_devices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["DeviceDetailOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    register_device: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DeviceRegister"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["DeviceOut"];
                        error: null;
                    };
                };
            };
        };
    };
    keep_start_token: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LaPushToken"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["DeviceOut"];
                        error: null;
                    };
                };
            };
        };
    };
    ping_device: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DevicePing"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["DeviceOut"] | null;
                        error: null;
                    };
                };
            };
        };
    };
    remove_device: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                device_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            removed: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    acknowledge_nudge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeliveryAck"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["DeliveryAckOut"];
                        error: null;
                    };
                };
            };
        };
    };
    test_push: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TestPushOut"];
                        error: null;
                    };
                };
            };
        };
    };
    read_vapid_key: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["VapidKeyOut"];
                        error: null;
                    };
                };
            };
        };
    };
    report_activity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LaActivityToken"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_tasks: {
        parameters: {
            query?: {
                /** @description A status, or `pending`, `overdue`, `snoozed`; any other gives an empty list. */
                status?: string;
                /** @description Those you assigned to others instead. */
                assigned?: boolean;
                limit?: number;
                /** @description From the header X-Next-Cursor. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    create_task: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TaskCreate"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    read_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskDetailOut"];
                        error: null;
                    };
                };
            };
        };
    };
    update_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["TaskUpdate"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    complete_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OccurrenceRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    skip_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["OccurrenceRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    snooze_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SnoozeRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    drop_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    accept_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    decline_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    reopen_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"];
                        error: null;
                    };
                };
            };
        };
    };
    forecast_task: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["NudgeForecast"][];
                        error: null;
                    };
                };
            };
        };
    };
    read_timeline: {
        parameters: {
            query?: {
                limit?: number;
                /** @description From the header X-Next-Cursor. */
                cursor?: string;
            };
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TimelineEntry"][];
                        error: null;
                    };
                };
            };
        };
    };
    list_space_tasks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    read_space_task: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space_id: string;
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["TaskDetailOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_outcomes: {
        parameters: {
            query?: {
                outcome?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["OutcomeOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    read_statistics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["StatsOut"];
                        error: null;
                    };
                };
            };
        };
    };
    sync: {
        parameters: {
            query?: {
                since?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            tasks: components["schemas"]["TaskDetailOut"][];
                            /** @description Tasks you no longer see. Apply after `tasks`. */
                            removed: string[];
                            settings: components["schemas"]["UserSettingsOut"];
                            /**
                             * Format: date-time
                             * @description The next `since`.
                             */
                            server_time: string;
                            /** @description Forget what you have: this is everything. */
                            reset: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    list_spaces: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["SpaceOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    create_space: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SpaceCreate"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["SpaceOut"];
                        error: null;
                    };
                };
            };
        };
    };
    list_members: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["MemberOut"][];
                        error: null;
                    };
                };
            };
        };
    };
    leave_space: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            left: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    invite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["InviteCreate"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["InviteOut"];
                        error: null;
                    };
                };
            };
        };
    };
    revoke_invite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                space_id: string;
                invite_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            revoked: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    accept_invite: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["SpaceOut"];
                        error: null;
                    };
                };
            };
        };
    };
    export_account: {
        parameters: {
            query?: {
                /** @description Without timelines, and no more than one import takes; `next_after` says how to get the rest. */
                importable?: boolean;
                /** @description Begin after this task, with an importable part. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["ArchiveOut"];
                        error: null;
                    };
                };
            };
        };
    };
    read_calendar_feed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["CalendarFeedOut"];
                        error: null;
                    };
                };
            };
        };
    };
    make_calendar_feed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["CalendarFeedMade"];
                        error: null;
                    };
                };
            };
        };
    };
    revoke_calendar_feed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            revoked: boolean;
                        };
                        error: null;
                    };
                };
            };
        };
    };
    read_calendar: {
        parameters: {
            query?: {
                /** @description Calendars show events (`vevent`) alone; an app for tasks may read `vtodo`. */
                as?: "vevent" | "vtodo";
            };
            header?: never;
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/calendar": string;
                };
            };
        };
    };
    health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            status: string;
                            version: string;
                            database: string;
                            engine: {
                                /** @description How late the most overdue nudge is. */
                                lag_seconds: number;
                                /**
                                 * Format: date-time
                                 * @description When the engine of this process looked last; null where it has none.
                                 */
                                last_sweep_at: string | null;
                            };
                        };
                        error: null;
                    };
                };
            };
        };
    };
    receive_billing_event: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BillingWebhook"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: {
                            event_id: string;
                            /**
                             * @description Applied to an account; recorded, since no account is known for it; or known already.
                             * @enum {string}
                             */
                            result: "applied" | "recorded" | "repeated";
                        };
                        error: null;
                    };
                };
            };
        };
    };
    import_tasks: {
        parameters: {
            query?: {
                /** @description Import the others where some are refused. */
                partial?: boolean;
                /** @description At which task of the file to begin, as an earlier report said in `next`. */
                from?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
                "text/calendar": unknown;
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @default true */
                        ok: boolean;
                        data: components["schemas"]["ImportReport"];
                        error: null;
                    };
                };
            };
        };
    };
}
