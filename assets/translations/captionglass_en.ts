<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>ModelWindow</name>
    <message numerus="yes">
        <source>%n model(s) here, {size}</source>
        <translation>
            <numerusform>%n model here, {size}</numerusform>
            <numerusform>%n models here, {size}</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PlacesEditor</name>
    <message numerus="yes">
        <source>%n arrangement(s)</source>
        <translation>
            <numerusform>%n arrangement</numerusform>
            <numerusform>%n arrangements</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SettingsFoot</name>
    <message numerus="yes">
        <source>%n thing(s) in it were left out: {first}</source>
        <translation>
            <numerusform>One thing in it was left out: {first}</numerusform>
            <numerusform>%n things in it were left out: {first}</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TranscriptWindow</name>
    <message numerus="yes">
        <source>Copied %n line(s)</source>
        <translation>
            <numerusform>Copied one line</numerusform>
            <numerusform>Copied %n lines</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Jump to latest (%n new)</source>
        <translation>
            <numerusform>Jump to latest (%n new)</numerusform>
            <numerusform>Jump to latest (%n new)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>_Counted</name>
    <message numerus="yes">
        <source>%n languages</source>
        <translation>
            <numerusform>%n language</numerusform>
            <numerusform>%n languages</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n second(s) left</source>
        <translation>
            <numerusform>%n second left</numerusform>
            <numerusform>%n seconds left</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s) left</source>
        <translation>
            <numerusform>%n minute left</numerusform>
            <numerusform>%n minutes left</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hour(s) left</source>
        <translation>
            <numerusform>%n hour left</numerusform>
            <numerusform>%n hours left</numerusform>
        </translation>
    </message>
</context>
</TS>
